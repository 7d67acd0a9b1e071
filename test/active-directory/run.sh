#!/bin/sh
# Tests sign-in against Samba's Active Directory, in namespaces of its own: npm run test:ad, as root on Debian or Ubuntu.
# Nothing is installed, and nothing listens outside of it. The packages are kept in the folder for the next run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=${ROLLBOOK_TEST_AD_FOLDER:-/var/tmp/rollbook-ad}
mkdir -p "$root/upper" "$root/work" "$root/root" "$root/archives/partial"
if [ -z "$(find "$root/archives" -name '*.deb' -print -quit)" ]; then
  echo "Fetching Debian's samba-ad-dc for the tests; nothing is installed …"
  apt-get -qq -o "Dir::Cache=$root" -o Debug::NoLocking=1 install --download-only --yes --no-install-recommends \
    samba samba-ad-dc samba-ad-provision winbind samba-dsdb-modules samba-vfs-modules ldb-tools
fi
exec unshare --mount --net sh "$here/inside.sh" "$root" "$here/../../node_modules/.bin/node" "$here/active-directory.ts"
