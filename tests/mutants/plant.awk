# Puts one bug of the table into its file.
#   awk -v mutant=NAME -f plant.awk table   prints the changed file; fails unless
#   the text stands in it exactly once
function add(to, line) { return seen[to]++ ? text[to] "\n" line : line }

$1 == "mutant" { is_mine = $2 == mutant; part = "" }
!is_mine { next }
$1 == "file" { file = $2 }
/^is$/ || /^becomes$/ { part = $1; next }
/^\|/ && part != "" { text[part] = add(part, substr($0, 2)) }

END {
	while ((getline line < file) > 0)
		whole = whole line "\n"
	old = text["is"]
	at = index(whole, old)
	if (file == "" || old == "" || at == 0 || index(substr(whole, at + 1), old) > 0)
		exit 1
	printf "%s%s%s", substr(whole, 1, at - 1), text["becomes"], substr(whole, at + length(old))
}
