#!/bin/sh
# pgbouncer for the tests behind a pooler: quiet where it is, installed where that can be done, and said loudly where not.
command -v "${PGBOUNCER:-pgbouncer}" > /dev/null 2>&1 && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null 2>&1; then
    echo "Installing pgbouncer for the tests …"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq > /dev/null 2>&1
    apt-get install -y -qq --no-install-recommends pgbouncer > /dev/null 2>&1 && exit 0
fi
echo "*** There is no pgbouncer here, so NOTHING WILL BE TRIED BEHIND A POOLER."
echo "*** Install it (Debian: apt-get install pgbouncer), or set PGBOUNCER to one that you have."
