#!/bin/sh
# Reads and writes keys of a fleet of Redis that hrwd places, with curl and redis-cli:
#
#     redis.sh get KEY          of whoever has it, in the order that hrwd says
#     redis.sh set KEY VALUE    on every holder and the fallback
#     redis.sh del KEY          on all of them, warm nodes first
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

# The addresses of holders and fallback, in the order in which they are read: so what
# is warm stays right while nodes join and drain. Nothing is filled: a copy that a value
# of Redis deserves keeps its expiry, which takes DUMP and RESTORE.
addresses=$(curl -fsSG -o /dev/null -w '%header{hrw-read}\n' \
	--data-urlencode "key=$2" ${HRW_POOL:+--data-urlencode "pool=$HRW_POOL"} \
	"${HRW_LOOKUP:-http://127.0.0.1:7070}/owner")
addresses=$(echo "$addresses" | tr -d ,)
[ -n "$addresses" ] # else nothing would be written, and nothing wrong

# at ADDRESS COMMAND...; fails, too, where Redis answers with an error
at() {
	host=${1%:*}
	port=${1##*:}
	shift
	host=${host#[}
	redis-cli -e -h "${host%]}" -p "$port" "$@"
}

failed=0
for address in $addresses; do
	case $1 in
	get)
		[ "$(at "$address" EXISTS "$2")" = 1 ] || continue
		at "$address" GET "$2"
		exit 0
		;;
	set) at "$address" SET "$2" "$3" >/dev/null || failed=1 ;;
	del) at "$address" DEL "$2" >/dev/null || failed=1 ;;
	esac
done
[ "$1" != get ] && [ $failed = 0 ]
