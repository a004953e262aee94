#!/bin/sh
# /openapi.json tells the truth: a linter finds no error in it, and every answer that
# the integration tests were given is one that it describes. Where those have not run
# before, some of them run here.
set -eu

build=$1
record=$build/tests/record.ndjson
document=$build/tests/openapi.json
# Its newest versions do not install where not all of their parts are to be had.
linter=@redocly/cli@1.34.20

# Debian's, whatever other Python stands before it.
python=/usr/bin/python3
$python -c 'from jsonschema import Draft202012Validator' 2>/dev/null || {
	echo "not tried: answers against /openapi.json (no python3-jsonschema)"
	exit 77
}

[ -s "$record" ] || HRW_RECORD=$record HRW_SUITES=reads,changes,plans,keys,compare HRWD=$build/hrwd \
	"$build/tests/integration-tests" >"$build/tests/record.log" 2>&1 || {
	cat "$build/tests/record.log"
	exit 1
}

$python - "$record" >"$document" <<'END'
import json, sys
for text in open(sys.argv[1], encoding="utf-8"):
    line = json.loads(text)
    if line["method"] == "GET" and line["path"] == "/openapi.json" and line["status"] == 200:
        print(line["answer"], end="")
        break
END
$python tests/scripts/openapi.py "$document" "$record"

# As npm's own programs do it, without the scripts of packages.
folder=$build/npm
[ -x "$folder/node_modules/.bin/redocly" ] ||
	npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --silent "$linter" \
		>/dev/null 2>&1 || {
	echo "not tried: a linter on /openapi.json (no npm, or not its $linter)"
	exit 0
}
REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
	"$folder/node_modules/.bin/redocly" lint "$document" >"$build/tests/redocly.log" 2>&1 || {
	cat "$build/tests/redocly.log"
	exit 1
}
