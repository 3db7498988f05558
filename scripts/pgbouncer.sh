#!/bin/sh
# pgbouncer for the tests behind a pooler: quiet where it is, installed where that can be done, and said loudly where not.
command -v "${PGBOUNCER:-pgbouncer}" > /dev/null 2>&1 && exit 0
"$(dirname "$0")/debian.sh" pgbouncer && exit 0
echo "*** There is no pgbouncer here, so NOTHING WILL BE TRIED BEHIND A POOLER."
echo "*** Install it (Debian: apt-get install pgbouncer), or set PGBOUNCER to one that you have."
