#!/bin/sh
# Runs in the namespaces that run.sh made: provisions a domain, starts its controller, fills it, and runs the tests.
set -eu
root=$1
realm=corp.example.com
admin='Passw0rd-of-admin'
mount -t overlay overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" "$root/root"
for place in proc dev; do mount --rbind "/$place" "$root/root/$place"; done
mount -t tmpfs tmpfs "$root/root/run"
python3 -c 'import fcntl,socket,struct
s=socket.socket()
fcntl.ioctl(s,0x8914,struct.pack("16sh14x",b"lo",0x1|0x40))' # lo up: there is no ip command everywhere

printf '127.0.0.1 localhost dc1.%s\n' "$realm" > "$root/hosts"
mount --bind "$root/hosts" /etc/hosts

in_root() { chroot "$root/root" "$@"; }
if [ ! -e "$root/upper/usr/sbin/samba" ]; then
  for archive in "$root"/archives/*.deb; do dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink -C "$root/root"; done
fi
in_root ldconfig
rm -rf "$root/root/etc/samba/smb.conf" "$root/root/var/lib/samba" "$root/root/var/cache/samba"
mkdir -p "$root/root/var/lib/samba/private" "$root/root/var/cache/samba" "$root/root/var/log/samba" "$root/root/run/samba"
in_root samba-tool domain provision --server-role=dc --realm="$realm" --domain=CORP --adminpass="$admin" \
  --dns-backend=NONE --host-name=dc1 --host-ip=127.0.0.1 --use-rfc2307 \
  --option='interfaces=lo' --option='bind interfaces only=yes' --option='posix:eadb=/var/lib/samba/private/eadb.tdb' \
  --option='server services=ldap,kdc,drepl,winbindd,ntp_signd,kcc,dnsupdate' --option='server role check:inhibit=yes' \
  > "$root/provision.log" 2>&1 || { tail -5 "$root/provision.log"; exit 1; }
in_root samba -i -M single --debuglevel=1 > "$root/samba.log" 2>&1 &
samba=$!
trap 'kill $samba 2>/dev/null; wait $samba 2>/dev/null || true' EXIT # else its 143 would be the status of the tests
for _ in $(seq 100); do python3 -c 'import socket; socket.create_connection(("127.0.0.1", 636), 1)' 2>/dev/null && break; sleep 0.2; done

tool() { in_root samba-tool "$@" > "$root/tool.log" 2>&1 || { cat "$root/tool.log"; exit 1; }; }
tool domain passwordsettings set --complexity=off --min-pwd-length=4 --min-pwd-age=0 --account-lockout-threshold=3
tool user create rollbook 'password of rollbook'
for name in ada grace locked disabled expired mustchange; do
  tool user create "$name" "password of $name" --given-name="$name" --surname=Example --mail-address="$name@example.com"
done
tool user disable disabled
tool user setexpiry --days=0 expired
tool user setpassword mustchange --newpassword='password of mustchange' --must-change-at-next-login
for group in engineers staff everyone primary; do tool group add "$group"; done
tool group addmembers engineers ada
tool group addmembers staff engineers
tool group addmembers everyone staff
tool group addmembers primary grace
tool user setprimarygroup grace primary
for index in $(seq 1600); do
  printf 'dn: CN=other%s,CN=Users,DC=corp,DC=example,DC=com\nobjectClass: user\nsAMAccountName: other%s\n\n' "$index" "$index"
done > "$root/root/tmp/others.ldif"
in_root ldbadd -H /var/lib/samba/private/sam.ldb /tmp/others.ldif > "$root/tool.log" 2>&1 || { tail -3 "$root/tool.log"; exit 1; }
cp "$root/root/var/lib/samba/private/tls/ca.pem" "$root/ca.pem"
ROLLBOOK_TEST_AD_CA="$root/ca.pem" "$2" --test "$3"
