#!/bin/sh
# docker.sh BUILD: makes the image of docker/Dockerfile without Docker. Its
# instructions are carried out one by one in chroots; then the image runs as
# Docker would run it: its user, its command, a read-only root, its volume.
set -eu

build=$1
here=$(dirname "$0")
work=$build/chroot/docker

fail() {
	echo "docker: $*" >&2
	exit 1
}

# The value of an instruction that stands once; continued lines are joined.
joined() {
	sed -e '/^#/d' -e :more -e '/\\$/{N;s/\\\n *//;b more' -e '}' docker/Dockerfile
}

one() {
	joined | sed -n "s/^$1 //p" | tail -n 1
}

# ["a", "b"] as words.
words() {
	printf '%s\n' "$1" | sed -n 's/^\[\(.*\)\]$/\1/p' | sed 's/[",]//g'
}

# A source of COPY: a file, or what is in a folder; of the context, what Git knows.
copy() {
	mkdir -p "$3"
	if [ ! -d "$1/$2" ]; then
		cp "$1/$2" "$3"
	elif [ "$1" = . ]; then
		(cd "$2" && git ls-files -z) | (cd "$2" && xargs -0 cp --parents -t "$3")
	else
		cp -a "$1/$2/." "$3"
	fi
}

# COPY [--from=STAGE] [--chown=OWNER] SOURCE TARGET
run_copy() {
	from=. owner=0:0
	while :; do
		case $1 in
		--from=*) from=$work/${1#--from=} ;;
		--chown=*) owner=${1#--chown=} ;;
		*) break ;;
		esac
		shift
	done
	[ $# = 2 ] || fail "COPY $*: one source, one target"
	copy "$from" "$1" "$(realpath -m "$root/$2")"
	[ "$owner" = 0:0 ] || chown -R "$owner" "$root/$2"
}

start_stage() {
	stage=image
	[ "${2:-}" != AS ] || stage=$3
	root=$work/$stage
	directory=/
	case $1 in
	scratch) mkdir -p "$root" ;;
	debian:*) sh "$here/base.sh" "$root" ;;
	*) fail "FROM $1: neither Debian nor scratch" ;;
	esac
}

make_image() {
	joined | sed '/^$/d' >"$work/instructions"
	# shellcheck disable=SC2086 # words
	while read -r instruction rest; do
		echo "docker: $instruction $rest" | cut -c1-100
		case $instruction in
		FROM) start_stage $rest ;;
		COPY) run_copy $rest ;;
		WORKDIR) directory=$rest && mkdir -p "$root$rest" ;;
		RUN) DEBIAN_FRONTEND=noninteractive chroot "$root" sh -c "cd $directory && $rest" \
			>>"$work/log" 2>&1 </dev/null || {
			tail -n 20 "$work/log" >&2
			fail "RUN $rest"
		} ;;
		LABEL | ENV | USER | VOLUME | EXPOSE | STOPSIGNAL | HEALTHCHECK | ENTRYPOINT | CMD) ;;
		*) fail "$instruction: not known here" ;;
		esac
	done <"$work/instructions"
}

# What an operator's scanner asks of an image.
check_file() {
	version=$(sed -n 's/^VERSION := //p' Makefile)
	one USER | grep -Eq '^[1-9][0-9]*:[1-9][0-9]*$' || fail "USER is not a number"
	for label in title description version; do
		one LABEL | grep -q "org.opencontainers.image.$label=\"" || fail "no label $label"
	done
	one LABEL | grep -q "image.version=\"$version\"" || fail "the label is not of $version"
	grep -q "image: hrwd:$version" docker/compose.yaml || fail "compose.yaml is not of $version"
	! grep -q ':latest' docker/Dockerfile docker/compose.yaml || fail "an image has no version"
	! command -v npx >/dev/null || npx --yes dockerfile-utils@0.16.3 lint docker/Dockerfile ||
		fail "the linter has a word"
}

# Inside of a mount and network namespace: $1 the image.
run_image() {
	root=$1
	volume=$(one VOLUME)
	user=$(one USER)
	health=$(words "$(one HEALTHCHECK | sed 's/^.*CMD //')")
	command="$(words "$(one ENTRYPOINT)") $(words "$(one CMD)")"

	ip link set lo up
	mkdir -p "$work/volume"
	cp -a "$root$volume/." "$work/volume"
	chown --reference="$root$volume" "$work/volume"
	mount --bind "$root" "$root"
	mount -o remount,bind,ro "$root"
	mount --bind "$work/volume" "$root$volume"
	# shellcheck disable=SC2046,SC2086 # words
	become() {
		exec env -i $(one ENV) "$(command -v chroot)" --userspec="$user" "$root" "$@"
	}
	in_image() {
		(become "$@")
	}
	# shellcheck disable=SC2086
	become $command &
	daemon=$!
	tries=0
	# shellcheck disable=SC2086
	until in_image $health 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || fail "it is never healthy"
		sleep 0.1
	done
	in_image /usr/bin/hrwctl --yes add cache-a 10.0.0.1:11211 >/dev/null
	[ "$(curl -fsS -H 'Accept: text/plain' '127.0.0.1:7070/owner?key=photo-7')" = cache-a ] ||
		fail "it does not know where a photo is"
	[ "$(stat -c %u:%g "$work/volume/hrwd.db")" = "$user" ] || fail "the store is not its own"
	# More than is kept in memory: it needs a place for files.
	seq 200000 | sed 's/^/key-number-/' >"$work/keys"
	curl -fsS -X POST -H 'Content-Type: text/plain' --data-binary "@$work/keys" \
		127.0.0.1:7070/owners | tail -n 1 | grep -q cache-a || fail "long answers fail"
	kill -s "$(one STOPSIGNAL | sed s/SIG//)" "$daemon"
	wait "$daemon" || fail "it ends with $?"
	# shellcheck disable=SC2086
	! in_image $health 2>/dev/null || fail "what has ended is healthy"
	cp docker/fleet.json "$work/volume"
	in_image /usr/bin/hrwd --check --config "$volume/fleet.json" || fail "docker/fleet.json"
}

if [ "${2:-}" = --apart ]; then
	run_image "$(realpath "$work/image")"
	exit 0
fi
[ "$(id -u)" = 0 ] || fail "a chroot needs root"
sh tests/deps.sh debootstrap iproute2 util-linux curl
check_file
rm -rf "$work"
mkdir -p "$work"
make_image
unshare --mount --net --pid --fork sh "$0" "$build" --apart
du -sh "$work/image" | sed 's/\t.*/ of image, built and run/; s/^/docker: /'
rm -rf "$work"
