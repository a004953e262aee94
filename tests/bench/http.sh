#!/bin/sh
# http.sh BUILD_DIR - what the daemon costs over HTTP, beside nginx and a bare
# libmicrohttpd handler in the same run: CPU of the server alone, from its own
# clock in /proc, the median of interleaved runs. Everything listens on loopback,
# is bounded in time, and is ended by its process id. PARTS="changes": some of it.
set -eu

build=${1:?usage: http.sh BUILD_DIR}
runs=${RUNS:-5}
seconds=${SECONDS_A_RUN:-2}
connections=32
folder=$(mktemp -d)
pids=
ticks=$(getconf CLK_TCK)

stop_all() {
	for pid in $pids; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	rm -rf "$folder"
}
trap stop_all EXIT
trap 'exit 1' INT TERM

# The server stands on the first CPU, its load on the second, where there are two.
server_cpu=
load_cpu=
if [ "$(nproc)" -gt 1 ]; then
	server_cpu="taskset -c 0"
	load_cpu="taskset -c 1"
fi

# row WHAT FIGURE UNIT BESIDE RATIO: one line of the table.
row() {
	printf '%-38s %10s %-14s %-34s %s\n' "$1" "$2" "$3" "$4" "$5"
}

median() {
	sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# CPU of a process so far, in ticks: user, then system. Field 14 and 15 of its
# stat, counted behind the name, which may hold spaces.
cpu_of() {
	sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12, $13 }'
}

until_up() {
	for _ in $(seq 100); do
		curl -fs -o /dev/null "$1" && return 0
		sleep 0.05
	done
	echo "$1 does not answer" >&2
	exit 1
}

# config NODES COPIES LOOKUP_PORT ADMIN_PORT STORE: a configuration of a pool.
config() {
	awk -v count="$1" -v copies="$2" -v lookup="$3" -v admin="$4" -v store="$5" 'BEGIN {
		printf "{\"workers\":1,\"limits\":{\"nodes\":16384},\"listen\":{\"lookup\":\"127.0.0.1:%d\",\"admin\":\"127.0.0.1:%d\"},", lookup, admin
		printf "\"store\":{\"path\":\"%s\"},\"pools\":{\"default\":{\"copies\":%d,\"nodes\":[", store, copies
		for (i = 0; i < count; i++)
			printf "%s{\"name\":\"node-%d\",\"address\":\"10.0.%d.%d:11211\"}", i ? "," : "", i, i / 250, i % 250 + 1
		printf "]}}}\n"
	}'
}

# start_hrwd NAME NODES COPIES LOOKUP_PORT ADMIN_PORT [COMMAND…]: sets $started;
# the command puts it onto a CPU.
start_hrwd() {
	config "$2" "$3" "$4" "$5" "$folder/$1.db" >"$folder/$1.json"
	name=$1
	port=$4
	shift 5
	"$@" "$build/hrwd" --config "$folder/$name.json" 2>"$folder/$name.log" &
	started=$!
	pids="$pids $started"
	until_up "http://127.0.0.1:$port/readyz"
}

start_nginx() {
	cat >"$folder/nginx.conf" <<-END
		daemon off;
		master_process off;
		worker_processes 1;
		pid $folder/nginx.pid;
		error_log stderr error;
		events { worker_connections 1024; }
		http {
			access_log off;
			keepalive_requests 1000000000;
			default_type application/json;
			client_body_temp_path $folder/body;
			proxy_temp_path $folder/proxy;
			fastcgi_temp_path $folder/fastcgi;
			uwsgi_temp_path $folder/uwsgi;
			scgi_temp_path $folder/scgi;
			server {
				listen 127.0.0.1:$1;
				location / {
					return 200 '{"key":"photo-7","pool":"default","owner":"node-17","node":"node-17","address":"10.0.0.17:11211","passed_over":[],"fallback":[],"epoch":1}\n';
				}
			}
		}
	END
	$server_cpu nginx -p "$folder" -c "$folder/nginx.conf" 2>"$folder/nginx.log" &
	nginx=$!
	pids="$pids $nginx"
	until_up "http://127.0.0.1:$1/"
}

cat >"$folder/keys.lua" <<'END'
local at, paths = 0, {}
init = function() -- Host is set by now
	for i = 1, 1000 do paths[i] = wrk.format("GET", "/owner?key=photo-" .. (i * 7919)) end
end
request = function()
	at = at % 1000 + 1
	return paths[at]
end
END

# load PID PORT: CPU a request in microseconds, whole and user.
load() {
	before=$(cpu_of "$1")
	$load_cpu wrk -t1 -c"$connections" -d"$seconds" -s "$folder/keys.lua" "http://127.0.0.1:$2/" >"$folder/wrk"
	if grep -q 'Non-2xx' "$folder/wrk"; then
		cat "$folder/wrk" >&2
		exit 1
	fi
	count=$(awk '/requests in/ { print $1 }' "$folder/wrk")
	after=$(cpu_of "$1")
	echo "$before $after $count" | awk -v t="$ticks" \
		'{ printf "%.4f %.4f\n", ($3 + $4 - $1 - $2) * 1e6 / t / $5, ($3 - $1) * 1e6 / t / $5 }'
}

lookups() {
	nginx_port=17081
	bare_port=17082
	start_nginx "$nginx_port"
	$server_cpu "$build/tests/bench/bare" "$bare_port" &
	bare=$!
	pids="$pids $bare"
	until_up "http://127.0.0.1:$bare_port/"
	start_hrwd large 1024 1 17085 17086 $server_cpu
	large=$started
	for _ in $(seq "$runs"); do
		load "$nginx" "$nginx_port" >>"$folder/nginx.cpu"
		load "$bare" "$bare_port" >>"$folder/bare.cpu"
		load "$small" 17083 >>"$folder/small.cpu"
		load "$large" 17085 >>"$folder/large.cpu"
	done
	peer=$(cut -d' ' -f1 "$folder/nginx.cpu" | median)
	floor=$(cut -d' ' -f1 "$folder/bare.cpu" | median)
	for name in small large; do
		nodes=64
		[ "$name" = small ] || nodes=1024
		whole=$(cut -d' ' -f1 "$folder/$name.cpu" | median)
		user=$(cut -d' ' -f2 "$folder/$name.cpu" | median)
		row "GET /owner, $nodes nodes" "$whole" "us CPU" "nginx, a fixed string: $peer" \
			"$(echo "$whole $peer" | awk '{ printf "%.2f", $1 / $2 }')"
		row "  of it in user space, $nodes nodes" "$user" "us CPU" "" ""
	done
	row "  a bare libmicrohttpd handler" "$floor" "us CPU" "nginx, a fixed string: $peer" \
		"$(echo "$floor $peer" | awk '{ printf "%.2f", $1 / $2 }')"
}

# A million keys a request, as text: keys a CPU-second, and what memory it took.
batches() {
	awk 'BEGIN { for (i = 0; i < 1000000; i++) print "photo-" i }' >"$folder/million"
	for _ in $(seq "$runs"); do
		before=$(cpu_of "$small")
		curl -s -o /dev/null -H 'Content-Type: text/plain' --data-binary "@$folder/million" \
			"http://127.0.0.1:17083/owners"
		after=$(cpu_of "$small")
		echo "$before $after" | awk -v t="$ticks" '{ print ($3 + $4 - $1 - $2) / t }' >>"$folder/batch.cpu"
	done
	batch=$(median <"$folder/batch.cpu")
	single=$(cut -d' ' -f1 "$folder/small.cpu" | median)
	row "POST /owners, 1 M keys, 64 nodes" "$(echo "$batch" | awk '{ printf "%.1f", 1 / $1 }')" "M keys/CPU-s" \
		"the single lookup: $(echo "$single" | awk '{ printf "%.2f M", 1 / $1 }')" \
		"$(echo "$batch $single" | awk '{ printf "%.0f", $2 / $1 }')"
	row "  peak memory of the daemon" "$(peak "$small")" MiB "" ""
}

# now: nanoseconds; elapsed FROM: milliseconds since.
now() {
	date +%s%N
}

elapsed() {
	echo "$1 $(now)" | awk '{ printf "%.1f", ($2 - $1) / 1e6 }'
}

# A plan from the stored set beside a bare scan of the same table, in turn: by a
# daemon that may use every core.
stored_plans() {
	start_hrwd stored 64 2 17089 17090 env
	awk -v count="$keys" 'BEGIN { for (i = 0; i < count; i++) print "photo-" i }' |
		curl -s -o /dev/null -T- -H 'Content-Type: text/plain' http://127.0.0.1:17090/keys
	file="$folder/stored-keys.db"
	table=$(sqlite3 "$file" "SELECT name FROM sqlite_master WHERE name LIKE 'keys_%' LIMIT 1")
	for _ in $(seq "$runs"); do
		from=$(now)
		sqlite3 "$file" "SELECT count(*), sum(length(key)) FROM $table" >/dev/null
		elapsed "$from" >>"$folder/scan.ms"
		echo >>"$folder/scan.ms"
		from=$(now)
		curl -s -o "$folder/plan" --json '{"drain":["node-3"]}' \
			'http://127.0.0.1:17090/plan?changes=0&wait=300'
		grep -q '"state":"done"' "$folder/plan"
		elapsed "$from" >>"$folder/plan.ms"
		echo >>"$folder/plan.ms"
	done
	scan=$(median <"$folder/scan.ms")
	plan=$(median <"$folder/plan.ms")
	row "plan of a drain, $keys stored keys" "$plan" ms "SQLite's scan of the table: $scan" \
		"$(echo "$plan $scan" | awk '{ printf "%.2f", $1 / $2 }')"
	row "  peak memory of the daemon" "$(peak "$started")" MiB "" ""
}

# latency_of SECONDS: p99.9 of lookups in microseconds.
latency_of() {
	$load_cpu wrk -t1 -c8 -d"$1" -s "$folder/latency.lua" http://127.0.0.1:17083/ >"$folder/wrk"
	! grep -q 'Non-2xx\|Socket errors' "$folder/wrk" || return 1
	awk '/p999/ { print $2 }' "$folder/wrk"
}

# Changes of eight clients, each waiting for its answer: the weights of eight nodes,
# up and down. (Tried: eight times curl, whose own work held up the load beside it.)
change_script() {
	cat <<-'END'
		local at = 0
		wrk.method = "PATCH"
		wrk.headers["Content-Type"] = "application/json"
		request = function()
			at = at + 1
			local path = "/nodes/node-" .. (at % 8) .. "?report=none"
			return wrk.format(nil, path, nil, '{"weight":' .. (math.floor(at / 8) % 2 + 1) .. '}')
		end
	END
}

# As many changes a second as come through, under lookups, beside bare commits.
changes() {
	cat "$folder/keys.lua" - >"$folder/latency.lua" <<-'END'
		done = function(summary, latency)
			print("p999 " .. latency:percentile(99.9))
		end
	END
	change_script >"$folder/changes.lua"
	for _ in $(seq "$runs"); do
		latency_of "$seconds" >>"$folder/quiet.us"
		$load_cpu nice -n 10 wrk -t1 -c8 -d"$((seconds + 1))" -s "$folder/changes.lua" \
			http://127.0.0.1:17084/ >"$folder/changers" &
		changers=$!
		sleep 0.5
		epoch=$(curl -s http://127.0.0.1:17084/nodes/node-1 | sed 's/.*"epoch":\([0-9]*\).*/\1/')
		latency_of "$seconds" >>"$folder/changing.us"
		after=$(curl -s http://127.0.0.1:17084/nodes/node-1 | sed 's/.*"epoch":\([0-9]*\).*/\1/')
		wait "$changers"
		! grep -q 'Non-2xx\|Socket errors' "$folder/changers" || { cat "$folder/changers" >&2; exit 1; }
		echo "$after $epoch $seconds" | awk '{ print ($1 - $2) / $3 }' >>"$folder/changes.rate"
		from=$(now)
		{
			echo 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS t (x);'
			awk 'BEGIN { for (i = 0; i < 300; i++) print "INSERT INTO t VALUES (hex(randomblob(2000)));" }'
		} | sqlite3 "$folder/bare.db" >/dev/null
		elapsed "$from" | awk '{ print 300000 / $1 }' >>"$folder/commits.rate"
	done
	quiet=$(median <"$folder/quiet.us")
	changing=$(median <"$folder/changing.us")
	rate=$(median <"$folder/changes.rate")
	commits=$(median <"$folder/commits.rate")
	row "changes answered, 8 clients" "$(echo "$rate" | awk '{ printf "%.0f", $1 }')" /s \
		"bare SQLite commits: $(echo "$commits" | awk '{ printf "%.0f", $1 }')" \
		"$(echo "$rate $commits" | awk '{ printf "%.2f", $1 / $2 }')"
	row "  p99.9 of lookups meanwhile" "$changing" us "the same without changes: $quiet" \
		"$(echo "$changing $quiet" | awk '{ printf "%.2f", $1 / $2 }')"
}

# peak PID, resident PID: MiB.
peak() {
	awk '/VmHWM/ { printf "%.1f", $2 / 1024 }' "/proc/$1/status"
}

resident() {
	awk '/VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$1/status"
}

# pools POOLS NODES: a configuration of so many pools.
pools() {
	awk -v pools="$1" -v count="$2" -v store="$3" 'BEGIN {
		printf "{\"workers\":1,\"limits\":{\"nodes\":16384},\"listen\":{\"lookup\":\"127.0.0.1:17087\",\"admin\":\"127.0.0.1:17088\"},"
		printf "\"store\":{\"path\":\"%s\"},\"pools\":{", store
		for (p = 0; p < pools; p++) {
			printf "%s\"pool-%d\":{\"copies\":2,\"nodes\":[", p ? "," : "", p
			for (i = 0; i < count; i++)
				printf "%s{\"name\":\"node-%d\",\"address\":\"10.0.%d.%d:11211\"}", i ? "," : "", i, i / 250, i % 250 + 1
			printf "]}"
		}
		printf "}}\n"
	}'
}

# The start of a daemon whose store is there: from the call to the first answer.
start_of() {
	from=$(now)
	$server_cpu "$build/hrwd" --config "$1" 2>"$folder/start.log" &
	started=$!
	pids="$pids $started"
	until curl -fs -o /dev/null http://127.0.0.1:17087/readyz; do
		sleep 0.005
	done
	elapsed "$from" >>"$folder/start.ms"
	echo >>"$folder/start.ms"
}

starts() {
	pools 0 0 "$folder/none.db" >"$folder/none.json"
	pools 10 1000 "$folder/ten.db" >"$folder/seed.json"
	pools 0 0 "$folder/ten.db" >"$folder/ten.json"
	start_of "$folder/none.json"
	idle=$(resident "$started")
	kill "$started" && wait "$started"
	start_of "$folder/seed.json"
	kill "$started" && wait "$started"
	rm -f "$folder/start.ms"
	for _ in $(seq "$runs"); do
		start_of "$folder/ten.json"
		full=$(resident "$started")
		kill "$started" && wait "$started"
	done
	row "start, 10 pools of 1,000 nodes stored" "$(median <"$folder/start.ms")" ms "at most 100" ""
	row "resident memory, idle" "$idle" MiB "at most 16" ""
	row "  a node" "$(echo "$full $idle" | awk '{ printf "%.0f", ($1 - $2) * 1048576 / 10000 }')" bytes "at most 512" ""
}

keys=${KEYS:-10000000}
start_hrwd small 64 1 17083 17084 $server_cpu
small=$started
for part in ${PARTS:-lookups batches starts changes stored_plans}; do
	$part
done
