#!/bin/sh
# Runs hrwd in the foreground on the example configuration, with a store under
# the build folder. Beside it, once it answers, the 24 photos are sent to it.
set -eu

build=${1:?usage: run-example.sh BUILD_DIR}
here=$(dirname "$0")
lookup=http://127.0.0.1:7070
admin=http://127.0.0.1:7071

photos() {
	i=1
	while [ "$i" -le 24 ]; do
		echo "photo-$i"
		i=$((i + 1))
	done
}

# $$ is this script, which becomes the daemon.
load() {
	until curl -fs -o /dev/null "$admin/readyz"; do
		kill -0 $$ 2>/dev/null || exit 0
		sleep 0.1
	done
	photos | curl -fsS -o /dev/null -X PUT -H 'Content-Type: text/plain' \
		--data-binary @- "$admin/keys"
	cat <<-END

	The pool has four caches, two copies of each key, and 24 photos. Try:

	  curl -G '$lookup/owner' --data-urlencode key=photo-7
	  curl -G '$lookup/replicas' --data-urlencode key=photo-7
	  curl -X POST '$admin/nodes/cache-c/drain'

	Ctrl-C ends it; what was changed is kept in $build/example.

	END
}

mkdir -p "$build/example"
load &
exec "$build/hrwd" --config "$here/hrwd.json" --store "$build/example/hrwd.db"
