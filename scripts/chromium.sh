#!/bin/sh
# Chromium for the tests of the Studio: its headless shell, which needs two thirds of the processor time, or else a whole browser.
# Quiet where it is, installed where that can be done, and said loudly where not.
[ -n "$CHROMIUM" ] && [ -x "$CHROMIUM" ] && exit 0
command -v chromium-headless-shell > /dev/null 2>&1 && exit 0
"$(dirname "$0")/debian.sh" chromium-headless-shell && exit 0
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" > /dev/null 2>&1 && exit 0
done
"$(dirname "$0")/debian.sh" chromium && exit 0
echo "*** There is no Chromium here, so THE STUDIO WILL NOT BE TESTED."
echo "*** Install it (Debian: apt-get install chromium-headless-shell), or set CHROMIUM to a Chrome that you have."
