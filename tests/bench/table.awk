# table.awk - adds to each row of the table, whose columns have fixed widths, the
# goal that tests/bench/goals holds it to, and whether it was reached.
#
#     awk -f table.awk tests/bench/goals - <rows

function trim(text) {
	gsub(/^ +| +$/, "", text)
	return text
}

NR == FNR {
	if ($0 ~ /^#/)
		next
	split($0, part, " ; ")
	what[++goals] = part[1]
	beside[goals] = part[2]
	column[goals] = part[3]
	at[goals] = part[4]
	limit[goals] = part[5]
	next
}

{
	name = substr($0, 1, 38)
	sub(/ +$/, "", name)
	figure = trim(substr($0, 40, 10))
	other = trim(substr($0, 66, 34))
	# A long text beside moves what follows.
	ratio = substr($0, 100, 1) == "" ? "" : $NF
	verdict = ""
	# A row without a name goes on with the one above it.
	if (name == "")
		name = last
	last = name
	for (i = 1; i <= goals && verdict == ""; i++) {
		if (name !~ what[i] || (other == "" ? " " : other) !~ beside[i])
			continue
		value = column[i] == "ratio" ? ratio : figure
		held = at[i] == "most" ? value + 0 <= limit[i] + 0 : value + 0 >= limit[i] + 0
		verdict = sprintf("%s at %s %s%s", column[i], at[i], limit[i], held ? "" : ": MISSED")
	}
	line = sprintf("%-108s %s", $0, verdict)
	sub(/ +$/, "", line)
	print line
	fflush()
}
