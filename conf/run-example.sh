#!/bin/sh
# Runs hrwd on the example configuration, with a store under the build folder,
# and gives it the 24 photos as its key set. Ctrl-C ends both.
set -eu

build=${1:?usage: run-example.sh BUILD_DIR}
here=$(dirname "$0")
admin=http://127.0.0.1:7071
daemon=

finish() {
	trap - EXIT INT TERM
	if [ -n "$daemon" ]; then
		kill "$daemon" 2>/dev/null || true
		wait "$daemon" 2>/dev/null || true
	fi
	exit "${1:-0}"
}

mkdir -p "$build/example"
trap 'finish 0' INT TERM
trap 'finish $?' EXIT
"$build/hrwd" --config "$here/hrwd.json" --store "$build/example/hrwd.db" &
daemon=$!

tries=0
until curl -fs -o /dev/null "$admin/readyz"; do
	kill -0 "$daemon" 2>/dev/null || { wait "$daemon" || finish $?; }
	tries=$((tries + 1))
	[ "$tries" -lt 100 ] || { echo "hrwd does not answer on $admin" >&2; finish 1; }
	sleep 0.1
done

i=1
while [ "$i" -le 24 ]; do
	echo "photo-$i"
	i=$((i + 1))
done | curl -fsS -o /dev/null -X PUT -H 'Content-Type: text/plain' --data-binary @- "$admin/keys"

cat <<END

The pool has four caches, two copies of each key, and 24 photos. Try:

  curl -G 'http://127.0.0.1:7070/owner' --data-urlencode key=photo-7
  curl -G 'http://127.0.0.1:7070/replicas' --data-urlencode key=photo-7
  curl -X POST '$admin/nodes/cache-c/drain'

Ctrl-C ends it; what was changed is kept in $build/example.

END
wait "$daemon"
