#!/bin/sh
# base.sh DIR: a minimal Debian below DIR, of the release and from the mirror that
# this machine's apt uses. Made once in build/chroot, then copied.
set -eu

dir=$1
cache=build/chroot/base

source_of() {
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' \
		'Origin: Debian' 'Component: main' | awk '$2 !~ /-/ { print; exit }'
}

if [ ! -e "$cache/etc/debian-base" ]; then
	# shellcheck disable=SC2046 # two words
	set -- $(source_of)
	[ $# = 2 ] || {
		echo "base.sh: apt knows no Debian mirror here" >&2
		exit 1
	}
	proxy=
	eval "$(apt-config shell proxy Acquire::http::Proxy)"
	[ -z "$proxy" ] || export http_proxy="$proxy"
	rm -rf "$cache"
	mkdir -p "$cache"
	debootstrap --variant=minbase "$2" "$cache" "$1" >build/chroot/log 2>&1 || {
		tail -n 20 build/chroot/log >&2
		exit 1
	}
	[ -z "$proxy" ] ||
		echo "Acquire::http::Proxy \"$proxy\";" >"$cache/etc/apt/apt.conf.d/90proxy"
	# Nothing starts a service there.
	printf '#!/bin/sh\nexit 101\n' >"$cache/usr/sbin/policy-rc.d"
	chmod 755 "$cache/usr/sbin/policy-rc.d"
	: >"$cache/etc/debian-base"
fi
rm -rf "$dir"
mkdir -p "$(dirname "$dir")"
cp -a "$cache" "$dir"
cp /etc/resolv.conf /etc/hosts "$dir/etc/"
