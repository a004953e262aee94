#!/bin/sh
# readme.sh BUILD: the commands of each README do what stands behind them (readme.py
# says how that is compared, and writes it anew with --update).
set -eu

build=$1
python=/usr/bin/python3
for program in $python curl; do
	command -v "$program" >/dev/null || {
		echo "not tried: the commands of the README (no $program)"
		exit 77
	}
done

bad=0
for file in $(find . \( -path ./build -o -path ./.git \) -prune -o -name 'README*' -type f -print); do
	grep -q '^```console' "$file" || continue
	$python tests/scripts/readme.py "$build" "$file" || bad=1
done
exit $bad
