#!/bin/sh
# inside.sh ROOT COMMAND…: runs a command in a chroot that has /proc and a network
# of its own with nothing but loopback, so that no port is taken.
set -eu

if [ "${1:-}" != --apart ]; then
	exec unshare --mount --net --pid --fork sh "$0" --apart "$@"
fi
root=$2
shift 2
ip link set lo up
mount -t proc proc "$root/proc"
exec chroot "$root" "$@"
