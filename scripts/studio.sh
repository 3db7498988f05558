#!/bin/sh
# Builds the Studio into studio/dist where its sources have changed since the last build; with arguments, npm for it
# instead. Where that cannot be, it says so loudly and exits with status 77.
cd "$(dirname "$0")/.." || exit 1
. scripts/node.sh
built=studio/node_modules/.built
sources() {
    find studio clients/typescript/src -type d \( -name node_modules -o -path studio/dist \) -prune -o -type f -print |
        LC_ALL=C sort | xargs cat | cksum
}
if [ $# = 0 ] && [ -f studio/dist/index.html ] && [ "$(sources)" = "$(cat $built 2> /dev/null)" ]; then exit 0; fi
use_node "THE STUDIO IS NOT BUILT" 20 19
install_packages studio
cd studio || exit 1
if [ $# != 0 ]; then exec npm "$@"; fi
npm run --silent build -- --logLevel warn || exit 1
cd .. && sources > $built
