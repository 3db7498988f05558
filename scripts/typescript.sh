#!/bin/sh
# npm for the TypeScript client, with what its lock file names installed. Where that cannot be, it says so loudly and
# exits with status 77.
cd "$(dirname "$0")/../clients/typescript" || exit 1
skip() {
    echo "*** $1, so THE TYPESCRIPT CLIENT IS NOT CHECKED." >&2
    exit 77
}
command -v node > /dev/null && command -v npm > /dev/null || skip "Node.js 20 or newer and npm are not installed"
[ "$(node -p 'parseInt(process.versions.node)')" -ge 20 ] || skip "Node.js $(node --version) is older than 20"
if ! cmp -s package-lock.json node_modules/.installed; then
    if ! said=$(npm ci --ignore-scripts 2>&1); then
        npm ping > /dev/null 2>&1 || skip "The registry of npm cannot be reached"
        echo "$said" >&2
        exit 1
    fi
    cp package-lock.json node_modules/.installed
fi
exec npm "$@"
