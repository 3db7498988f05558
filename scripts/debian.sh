#!/bin/sh
# Install a Debian package for the tests, quietly, where that can be done; the exit status says whether it was.
[ "$(id -u)" = 0 ] && command -v apt-get > /dev/null 2>&1 || exit 1
echo "Installing $1 for the tests …"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq > /dev/null 2>&1
apt-get install -y -qq --no-install-recommends "$1" > /dev/null 2>&1
