#!/bin/sh
# HAProxy without Lua cannot ask hrwd during a request, but it can place as hrwd does:
# a pool whose placement is haproxy-consistent, and a backend made of its nodes.
#
#     haproxy.sh config >>haproxy.cfg    prints that backend
#     haproxy.sh follow SOCKET           brings a running HAProxy in step, and keeps it
#                                        there, through its "stats socket … level admin"
#
# HRW_LOOKUP is where hrwd answers, HRW_POOL the pool. Weights are whole numbers up to
# 256. The key is the path; needs curl and jq.
set -eu

lookup=${HRW_LOOKUP:-http://127.0.0.1:7070}
pool=${HRW_POOL:-default}

# name, address, id, weight and HAProxy's word for the state, a node a line.
nodes() {
	answer=$(curl -fsS "$lookup/pools/$pool") || return
	echo "$answer" | jq -r '
		if .placement.name != "haproxy-consistent" then
			error("the pool is placed by \(.placement.name), and HAProxy places by "
				+ "haproxy-consistent alone")
		else . end
		| .nodes[] | [.name, .address, .id, .weight,
			if .state == "draining" then "drain" else "ready" end] | join(" ")'
}

config() {
	list=$(nodes) || exit 1 # nothing is better than a backend without servers
	echo "backend caches"
	echo "	balance hash path"
	echo "	hash-type consistent"
	[ -z "$list" ] || echo "$list" | while read -r name address id weight state; do
		[ "$state" = ready ] && state= || state=" disabled"
		echo "	server $name $address id $id weight $weight$state"
	done
}

# A command to HAProxy's socket, which takes one line a connection.
runtime() {
	echo "$1" | curl -sS --max-time 5 --unix-socket "$socket" telnet://haproxy
}

# step NODES: what HAProxy lacks is added, what hrwd has no more is removed, the others
# are made as they are.
step() {
	there=$(runtime "show servers state caches" | awk '$2 == "caches" { print $4 }')
	echo "$1" | while read -r name address id weight state; do
		echo "$there" | grep -qxF "$name" ||
			echo "add server caches/$name $address id $id weight $weight"
		echo "set server caches/$name addr ${address%:*} port ${address##*:}"
		echo "set server caches/$name weight $weight"
		echo "set server caches/$name state $state"
	done
	for name in $there; do
		echo "$1" | grep -q "^$name " ||
			echo "set server caches/$name state maint; del server caches/$name"
	done
}

# While hrwd or HAProxy is away, things stay as they are; so they do for an empty pool.
follow() {
	last=
	while :; do
		if now=$(nodes) && [ -n "$now" ] && [ "$now" != "$last" ]; then
			step "$now" | while read -r command; do
				runtime "$command" >/dev/null || exit
			done && last=$now
		fi
		sleep 1
	done
}

case $#-${1-} in
1-config) config ;;
2-follow)
	socket=$2
	follow
	;;
*)
	sed -n 's/^#     /usage: /p' "$0" >&2
	exit 2
	;;
esac
