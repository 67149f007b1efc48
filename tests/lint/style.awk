# What a reader of the code should never meet: awk -f style.awk FILE...
# Prints one line for each; exit status 1 if there is any. Set LC_ALL=C: it counts bytes.

function complain(line, what)
{
	print FILENAME ":" line ": " what
	bad = 1
}

# Of a line, a tab taking it to the next multiple of 8 and a UTF-8 character being one.
function columns(text,	n, part, i, width)
{
	gsub(/[\200-\277]/, "", text)
	n = split(text, part, "\t")
	for (i = 1; i < n; i++)
		width += length(part[i]) + 8 - (width + length(part[i])) % 8
	return width + length(part[n])
}

function end_of_file()
{
	if (lines > 500)
		print name ": " lines " lines, more than 500"
	if (lines > 500)
		bad = 1
}

BEGIN {
	for (i = 1; i < ARGC; i++)
		known[ARGV[i]] = 1
}

FNR == 1 {
	end_of_file()
	name = FILENAME
	start = 0
	own = name
	sub(/.*\//, "", own)
	if (sub(/[.]c$/, ".h", own) == 0 || !(substr(name, 1, length(name) - 1) "h" in known))
		own = ""
}

{ lines = FNR }

columns($0) > 110 { complain(FNR, columns($0) " columns, more than 110") }
/[ \t]$/ { complain(FNR, "blanks at the end") }
/(^|[^A-Z])(TODO|FIXME|XXX)([^A-Z]|$)/ { complain(FNR, "something is left to do") }

own != "" && /^#[ \t]*include/ {
	header = $0
	gsub(/^#[ \t]*include[ \t]*["<]([^">]*\/)?|[">].*/, "", header)
	if (header != own)
		complain(FNR, "the first include is not " own)
	own = ""
}

# The body of a function is what stands between "{" and "}" of the first column.
/^\{$/ { start = FNR }
/^\}$/ && start {
	if (FNR - start - 1 > 60)
		complain(start, "a function of " FNR - start - 1 " lines, more than 60")
	start = 0
}

END {
	end_of_file()
	exit bad
}
