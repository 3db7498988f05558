#!/bin/sh
# Chromium for the tests of the Studio: quiet where it is, installed where that can be done, and said loudly where not.
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" > /dev/null 2>&1 && exit 0
done
[ -n "$CHROMIUM" ] && [ -x "$CHROMIUM" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null 2>&1; then
    echo "Installing Chromium for the tests of the Studio …"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq > /dev/null 2>&1
    apt-get install -y -qq --no-install-recommends chromium > /dev/null 2>&1 && exit 0
fi
echo "*** There is no Chromium here, so THE STUDIO WILL NOT BE TESTED."
echo "*** Install it (Debian: apt-get install chromium), or set CHROMIUM to a Chrome that you have."
