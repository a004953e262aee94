#!/bin/sh
# bare.sh BUILD run|test: README's command, pasted as it stands there by root into a
# bare Debian without make and sudo, installs all it needs and works. "run" ends once
# the example answers.
set -eu

build=$1
what=$2
root=$build/chroot/bare-$what
log=$build/chroot/bare-$what.log

fail() {
	tail -n 30 "$log" >&2
	echo "bare: $*" >&2
	exit 1
}

command=$(sed -n "s/^    \(.*make $what\) .*/\1/p" README.md)
[ -n "$command" ] || fail "README has no command that ends with: make $what"
[ "$(id -u)" = 0 ] || fail "a chroot needs root"
sh tests/deps.sh debootstrap util-linux git
sh tests/chroot/base.sh "$root"
trap 'rm -rf "$root"' EXIT
for program in make sudo cc curl; do
	[ ! -e "$root/usr/bin/$program" ] || fail "it is not bare: it has $program"
done
mkdir "$root/hrwd"
git ls-files -co --exclude-standard -z | tar -c --null -T - | tar -x -C "$root/hrwd"

# Processes of its own, so that all of them end with the shell; the network is the machine's.
cat >"$root/hrwd.sh" <<END
set -eu
mount -t proc proc /proc
mount -t devpts -o ptmxmode=666 devpts /dev/pts
mkdir -p /dev/shm
mount -t tmpfs tmpfs /dev/shm
cd /hrwd
export EXAMPLE_LOOKUP=127.0.0.1:17070 EXAMPLE_ADMIN=127.0.0.1:17071
pasted() {
	$command
}
[ $what = run ] || { pasted; exit; }
pasted &
tries=0
until [ "\$(curl -fs \$EXAMPLE_ADMIN/keys/stats | grep -c '"keys":24')" = 1 ]; do
	kill -0 \$! && tries=\$((tries + 1)) && [ \$tries -lt 1800 ]
	sleep 1
done
curl -fs -G \$EXAMPLE_LOOKUP/owner --data-urlencode key=photo-7 | grep -q '"owner":"cache-d"'
END
unshare --mount --pid --fork chroot "$root" sh /hrwd.sh >"$log" 2>&1 || fail "does not work: $command"
[ "$what" = run ] || grep -q '^[0-9]* passed, 0 failed' "$log" || fail "no line of totals"
grep -h '^installing:\|^[0-9]* passed' "$log"
echo "bare: works: $command"
