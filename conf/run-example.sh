#!/bin/sh
# Runs hrwd in the foreground on the example configuration, with a store under
# the build folder. Beside it, once it answers, the 24 photos are sent to it.
# EXAMPLE_LOOKUP and EXAMPLE_ADMIN are other addresses to listen on.
set -eu

build=${1:?usage: run-example.sh BUILD_DIR}
here=$(dirname "$0")
lookup=${EXAMPLE_LOOKUP:-127.0.0.1:7070}
admin=${EXAMPLE_ADMIN:-127.0.0.1:7071}

# Another hrwd may have the ports: the photos go to a socket that no other process has.
private=$(mktemp -d)
socket=$private/load.sock

photos() {
	i=1
	while [ "$i" -le 24 ]; do
		echo "photo-$i"
		i=$((i + 1))
	done
}

ask() {
	path=$1
	shift
	curl -fsS --unix-socket "$socket" "http://localhost$path" "$@"
}

# $$ is this script, which becomes the daemon.
load() {
	trap 'rm -rf "$private"' EXIT
	until ask /readyz -o /dev/null 2>/dev/null; do
		kill -0 $$ 2>/dev/null || exit 0
		sleep 0.1
	done
	# Keys that an earlier run was given stay.
	ask /keys/stats | grep -q '"keys":0[,}]' || {
		echo "The pool is as it was left; without $build/example it begins anew."
		exit 0
	}
	photos | ask /keys -o /dev/null -X PUT -H 'Content-Type: text/plain' --data-binary @-
	cat <<-END

	The pool has four caches, two copies of each key, and 24 photos. Try:

	  curl -G '$lookup/owner' --data-urlencode key=photo-7
	  curl -G '$lookup/replicas' --data-urlencode key=photo-7
	  curl -X POST '$admin/nodes/cache-c/drain'

	Ctrl-C ends it; what was changed is kept in $build/example.

	END
}

mkdir -p "$build/example"
sed -e "s|\"lookup\": \"127.0.0.1:7070\",|\"lookup\": \"$lookup\",|" \
	-e "s|\"admin\": \"127.0.0.1:7071\",|\"admin\": [\"$admin\", \"unix:$socket\"],|" \
	"$here/hrwd.json" >"$build/example/hrwd.json"
load &
# Memory stays flat without caches of its threads.
export GLIBC_TUNABLES="${GLIBC_TUNABLES-glibc.malloc.tcache_count=0}"
exec "$build/hrwd" --config "$build/example/hrwd.json" --store "$build/example/hrwd.db"
