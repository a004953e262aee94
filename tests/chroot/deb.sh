#!/bin/sh
# deb.sh BUILD: the packages of BUILD/deb are installed in a fresh Debian, hrwd runs
# there as its user on the packaged configuration, is asked and changed, and ends;
# purged, it leaves no file.
set -eu

build=$1
root=$build/chroot/deb
here=$(dirname "$0")

fail() {
	echo "deb: $*" >&2
	exit 1
}

[ "$(id -u)" = 0 ] || fail "a chroot needs root"
sh tests/deps.sh debootstrap iproute2 util-linux
sh "$here/base.sh" "$root"
trap 'rm -rf "$root"' EXIT

mkdir "$root/packages"
cp "$build"/deb/*.deb "$root/packages"
rm -f "$root"/packages/*dbgsym*
chroot "$root" sh -c 'export DEBIAN_FRONTEND=noninteractive
	apt-get -qq update && apt-get -y install --no-install-recommends /packages/*.deb' \
	>"$build/chroot/deb.log" 2>&1 || {
	tail -n 20 "$build/chroot/deb.log" >&2
	fail "the packages do not install"
}
chroot "$root" getent passwd hrwd >/dev/null || fail "there is no user hrwd"
[ -L "$root/etc/systemd/system/multi-user.target.wants/hrwd.service" ] ||
	fail "the service is not enabled"
[ ! -L "$root/etc/systemd/system/sockets.target.wants/hrwd-lookup.socket" ] ||
	fail "the sockets are enabled"

# As the unit has it: the user, the state directory, the configuration.
cat >"$root/packages/run.sh" <<'END'
set -eu
install -d -o hrwd -g hrwd -m 750 /var/lib/hrwd
export STATE_DIRECTORY=/var/lib/hrwd
setpriv --reuid hrwd --regid hrwd --init-groups hrwd --config /etc/hrwd/hrwd.json &
daemon=$!
tries=0
until hrwd --health --config /etc/hrwd/hrwd.json 2>/dev/null; do
	tries=$((tries + 1))
	[ $tries -lt 100 ] || exit 1
	sleep 0.1
done
hrwctl --yes add cache-a 10.0.0.1:11211
hrwctl owner photo-7 | grep -q cache-a
[ "$(stat -c %U /var/lib/hrwd/hrwd.db)" = hrwd ]
kill "$daemon"
wait "$daemon"
END
sh "$here/inside.sh" "$root" sh /packages/run.sh || fail "hrwd does not run there"

chroot "$root" dpkg --purge hrwd libhrw-dev libhrw0 >>"$build/chroot/deb.log" 2>&1
for left in /etc/hrwd /var/lib/hrwd /usr/bin/hrwd /usr/include/hrw.h; do
	[ ! -e "$root$left" ] || fail "a purge leaves $left"
done
left=$(chroot "$root" find / -xdev \( -name '*hrw*' -o -name '*hrwd*' \) ! -path '/packages/*' \
	! -path '/var/cache/*')
[ -z "$left" ] || fail "a purge leaves $left"
echo "deb: installed, run and purged"
