#!/bin/sh
# example.sh BUILD: conf/run-example.sh loads its photos into the daemon that it started
# alone: where another hrwd has the ports, it ends, and that one gets none.
set -eu

build=$(cd "$1" && pwd)
command -v curl >/dev/null || {
	echo "not tried: the example beside another daemon (no curl)"
	exit 77
}
work=$(mktemp -d)
daemon=
trap '[ -z "$daemon" ] || kill "$daemon"; rm -rf "$work"' EXIT

fail() {
	echo "example: $*"
	cat "$work/log"
	exit 1
}

# Ports that are free, until a daemon has them.
started() {
	for try in 1 2 3 4 5 6 7 8 9; do
		base=$((20000 + ($$ * 7 + try * 1009) % 12000))
		export EXAMPLE_LOOKUP=127.0.0.1:$base EXAMPLE_ADMIN=127.0.0.1:$((base + 1))
		"$build/hrwd" --lookup $EXAMPLE_LOOKUP --admin $EXAMPLE_ADMIN \
			--store "$work/hrwd.db" >"$work/log" 2>&1 &
		daemon=$!
		waited=0
		while kill -0 "$daemon" 2>/dev/null && [ $waited -lt 300 ]; do
			! grep -q ' ready: ' "$work/log" || return 0
			waited=$((waited + 1))
			sleep 0.1
		done
		daemon=
	done
	fail "no daemon starts"
}

started
mkdir "$work/build"
ln -s "$build/hrwd" "$work/build/hrwd"
export TMPDIR=$work
! sh conf/run-example.sh "$work/build" >"$work/log" 2>&1 || fail "it runs on ports that are taken"
grep -q 'in use' "$work/log" || fail "it does not say what is wrong"
# Whatever was to be loaded has been sent by the time that its socket is gone.
waited=0
while [ -n "$(find "$work" -mindepth 1 -name 'tmp.*')" ]; do
	waited=$((waited + 1))
	[ $waited -lt 300 ] || fail "it waits for a daemon that has ended"
	sleep 0.1
done
curl -fsS $EXAMPLE_ADMIN/keys/stats | grep -q '"keys":0[,}]' || fail "another daemon has the photos"
