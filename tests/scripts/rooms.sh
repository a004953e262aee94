#!/bin/sh
# Which room may include which: each line names a room and the rooms below it. An
# include of any other room, or of another room's private header, is an error.
set -eu

grep -r '^#include "' --include='*.[ch]' core daemon | sed 's/:#include "/ /; s/".*//' | awk '
BEGIN {
	below["core"] = ""
	below["base"] = "core"
	below["store"] = "core base"
	below["http"] = "core base"
	below["members"] = "core base store"
	below["config"] = "core base http members"
	below["app"] = "core config members store"
	below["metrics"] = "core base store http members app"
	below["routes"] = "core base store http members config metrics app"
	below["daemon"] = below["routes"] " routes"
	below["ctl"] = "core base config members store"
	below["manual"] = "base config"
}

function room(path,   part, parts) {
	parts = split(path, part, "/")
	if (path == "daemon/app.h")
		return "app"
	if (part[1] == "core")
		return "core"
	return parts == 2 ? "daemon" : part[2]
}

{
	from = room($1)
	to = room($2)
	if (!(from in below)) {
		print $1 ": the room " from " stands in no line of tests/scripts/rooms.sh"
		failed = 1
	} else if (from != to && index(" " below[from] " ", " " to " ") == 0) {
		print $1 ": " from " may not include " $2
		failed = 1
	}
	# hrwctl makes a report of its own, without a daemon.
	if (from != to && $2 ~ /private\.h$/ && !($2 ~ /report_private/ && from == "ctl")) {
		print $1 ": " $2 " is for the room " to " alone"
		failed = 1
	}
}

END { exit failed }'
