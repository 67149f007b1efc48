# Holds the #include lines of the C files named as arguments, relative to the top of the tree, against
# a table: awk -v table=includes.tab -f includes.awk FILE...
# Prints one line for each that is not allowed; exit status 1 if there is any.

function pattern(glob)
{
	gsub(/\./, "[.]", glob)
	gsub(/\*/, "[^/]*", glob)
	return "^" glob "$"
}

function fits(name, globs,	n, list, i)
{
	n = split(globs, list, " ")
	for (i = 1; i <= n; i++)
		if (name ~ pattern(list[i]))
			return 1
	return 0
}

function read_table(	line, word, colon, left, right)
{
	while ((getline line < table) > 0) {
		if (line !~ /^[a-z]/)
			continue
		word = line
		sub(/ .*/, "", word)
		sub(/^[a-z]+ */, "", line)
		colon = index(line, " :")
		left = colon ? substr(line, 1, colon - 1) : line
		right = colon ? substr(line, colon + 2) : ""
		if (word == "may") {
			may_files[++mays] = left
			may_headers[mays] = right
		} else if (word == "only") {
			only_header[++onlys] = left
			only_files[onlys] = right
		} else if (word == "pure") {
			pure = pure " " left
		} else if (word == "impure") {
			impure = impure " " left
		} else if (word == "clock") {
			gsub(/ /, "|", left)
			clock = "(^|[^A-Za-z0-9_.>])(" left ")[(]"
		} else {
			complain(table, "no such rule: " word)
		}
	}
	if (!mays)
		complain(table, "no rules")
}

function complain(where, what)
{
	print where ": " what
	bad = 1
}

# "a/b/../c" -> "a/c"
function tidy(path)
{
	while (path ~ /[^\/]+\/\.\.\//)
		sub(/[^\/]+\/\.\.\//, "", path)
	return path
}

# As the compiler looks for it: beside the file, then in the -I directories.
function resolve(file, header,	dir, n, dirs, i, path)
{
	dir = file
	sub(/[^\/]*$/, "", dir)
	n = split(dir ":" "" ":lib/:lib/base/", dirs, ":")
	for (i = 1; i <= n; i++) {
		path = tidy(dirs[i] header)
		if (path in known)
			return path
	}
	return ""
}

function check_ours(file, header,	i)
{
	if (header ~ /^lib\/base\//)
		return
	for (i = 1; i <= mays; i++) {
		if (!fits(file, may_files[i]))
			continue
		if (!fits(header, may_headers[i]))
			complain(file, "may not include " header)
		return
	}
}

function check_others(file, header,	i)
{
	for (i = 1; i <= onlys; i++)
		if (fits(header, only_header[i]) && !fits(file, only_files[i]))
			complain(file, "may not include <" header ">")
}

function check_row(file,	i)
{
	for (i = 1; i <= mays; i++)
		if (fits(file, may_files[i]))
			return
	complain(file, "has no line in the table")
}

BEGIN {
	read_table()
	for (i = 1; i < ARGC; i++)
		known[ARGV[i]] = 1
}

FNR == 1 {
	check_row(FILENAME)
	is_pure = fits(FILENAME, pure)
}

/^#[ \t]*include[ \t]*["<]/ {
	header = $0
	sub(/^#[ \t]*include[ \t]*/, "", header)
	ours = header ~ /^"/
	header = substr(header, 2)
	sub(/[">].*/, "", header)
	if (ours && header == "config.h")
		next
	if (ours) {
		path = resolve(FILENAME, header)
		if (path == "")
			complain(FILENAME, "\"" header "\" is nowhere to be found")
		else
			check_ours(FILENAME, path)
		header = path
	} else {
		check_others(FILENAME, header)
	}
	if (is_pure && fits(header, impure))
		complain(FILENAME, "is pure and may not include " header)
	next
}

# Comments that begin a line are prose.
is_pure && !/^[ \t]*(\/\*|\*)/ && $0 ~ clock {
	complain(FILENAME ":" FNR, "is pure and may not ask for the time")
}

END { exit bad }
