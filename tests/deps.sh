#!/bin/sh
# Installs the Debian packages named as arguments, those alone that are missing.
# With --try before them, what Debian does not have here is left out with a word.
set -eu

try=
[ "${1-}" != --try ] || { try=yes; shift; }

missing=
for package; do
	dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
echo "installing:$missing"

# In run level 1 no package starts its service: the tests start what they need.
install() {
	$sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

if [ -z "$try" ]; then
	$sudo apt-get update -qq
	# shellcheck disable=SC2086 # a list of names
	install $missing
	exit 0
fi
$sudo apt-get update -qq || exit 0
for package in $missing; do
	install "$package" || echo "not installed: $package"
done
