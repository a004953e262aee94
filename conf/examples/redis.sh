#!/bin/sh
# Reads and writes keys of a fleet of Redis that hrwd places, with curl and redis-cli:
#
#     redis.sh get KEY          of whoever has it, in the order that hrwd says
#     redis.sh set KEY VALUE    on every holder, and off nodes that hold it no more
#     redis.sh del KEY          everywhere
#
# HRW_LOOKUP is where hrwd answers, HRW_POOL the pool. Ends with 1 where nobody has it, or
# where a node did not do as it was told; needs redis-cli 7, which says so.
set -eu

case ${1-} in
get | del) [ $# = 2 ] ;;
set) [ $# = 3 ] ;;
*) false ;;
esac || {
	sed -n 's/^#     /usage: /p' "$0" >&2
	exit 2
}

# Names of holders, a line each; behind them one line: the addresses of the holders,
# warm ones first, then of those that were holders and still have their copies.
asked=$(curl -fsSG -H 'Accept: text/plain' -w '%header{hrw-read}\n' \
	--data-urlencode "key=$2" ${HRW_POOL:+--data-urlencode "pool=$HRW_POOL"} \
	"${HRW_LOOKUP:-http://127.0.0.1:7070}/replicas")
addresses=$(echo "$asked" | tail -n 1 | tr -d ,)
holders=$(($(echo "$asked" | wc -l) - 1))

# at ADDRESS COMMAND...; fails, too, where Redis answers with an error
at() {
	host=${1%:*}
	port=${1##*:}
	shift
	host=${host#[}
	redis-cli -e -h "${host%]}" -p "$port" "$@"
}

number=0
failed=0
for address in $addresses; do
	number=$((number + 1))
	case $1 in
	get)
		[ "$(at "$address" EXISTS "$2")" = 1 ] || continue
		at "$address" GET "$2"
		exit 0
		;;
	set)
		if [ $number -le $holders ]; then
			at "$address" SET "$2" "$3" >/dev/null || failed=1
		else
			at "$address" DEL "$2" >/dev/null || failed=1
		fi
		;;
	del) at "$address" DEL "$2" >/dev/null || failed=1 ;;
	esac
done
[ "$1" != get ] && [ $failed = 0 ]
