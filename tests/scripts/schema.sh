#!/bin/sh
# conf/hrwd.schema.json takes every configuration that comes with hrwd, and hrwd does.
set -eu

build=$1
files="conf/hrwd.json systemd/hrwd.json docker/hrwd.json docker/fleet.json"
# Debian's, whatever other Python stands before it.
python=/usr/bin/python3
$python -c 'from jsonschema import Draft202012Validator' 2>/dev/null || {
	echo "not tried: configurations against their schema (no python3-jsonschema)"
	exit 77
}
# shellcheck disable=SC2086 # a list of names
$python tests/scripts/schema.py conf/hrwd.schema.json $files
for file in $files; do
	"$build/hrwd" --check --config "$file" >/dev/null
done
