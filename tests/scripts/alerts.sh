#!/bin/sh
# alerts.sh [BUILD]: promtool reads the alert rules and every expression of the
# dashboard. Without promtool (package prometheus) or jq it is not tried.
set -eu
command -v promtool >/dev/null && command -v jq >/dev/null || {
	echo "not tried: alerts and dashboard (no promtool, or no jq)"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

promtool check rules conf/hrwd.rules.yml >"$work/said" || { cat "$work/said"; exit 1; }
promtool check config conf/prometheus.yml >"$work/said" || { cat "$work/said"; exit 1; }

# Grafana fills its variables in; here they become what they stand for.
jq '{groups: [{name: "dashboard", rules: ([.panels[].targets[].expr
    | gsub("\\$__rate_interval"; "5m") | gsub("\\$(instance|pool)"; ".+")]
    | to_entries | map({record: "panel:\(.key)", expr: .value}))}]}' \
	conf/grafana.json >"$work/dashboard.yml"
[ "$(grep -c '"expr"' "$work/dashboard.yml")" -ge 10 ]
promtool check rules "$work/dashboard.yml" >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
