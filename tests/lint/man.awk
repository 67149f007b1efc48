# Facts out of an mdoc page, one a line, for lint_man.test to hold against the programs:
#   -v want=keys     of .It Ic: the section heading ("global" out of "[global]"), the key, the line under it
#   -v want=options  the long options of .It Fl
#   -v want=example -v nth=N       the text of the Nth .Bd -literal under EXAMPLES
#   -v want=names -v under=TITLE   the words of .It Ic, in sections and subsections that match TITLE

/^\.S[hs] / {
	title = $0
	sub(/^\.S[hs] /, "", title)
	inside = title ~ under
	section = title
	gsub(/[][]| .*/, "", section)
}

want == "keys" && pending != "" {
	print section "\t" pending "\t" $0
	pending = ""
}

want == "keys" && /^\.It Ic / { pending = $3 }

want == "options" && /^\.It Fl -/ { print "-" $3 }

want == "names" && inside && /^\.It Ic / {
	for (i = 3; i <= NF; i++)
		if ($i != ",")
			print $i
}

want == "example" && /^\.Ed/ { literal = 0 }
want == "example" && literal && count == nth {
	gsub(/\\e/, "\\")
	print
}
want == "example" && /^\.Bd -literal/ && section == "EXAMPLES" {
	literal = 1
	count++
}
