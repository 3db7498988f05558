#!/bin/sh
# npm for the TypeScript client, with what its lock file names installed. Where that cannot be, it says so loudly and
# exits with status 77.
cd "$(dirname "$0")/.." || exit 1
. scripts/node.sh
use_node "THE TYPESCRIPT CLIENT IS NOT CHECKED" 20 0
install_packages clients/typescript
cd clients/typescript && exec npm "$@"
