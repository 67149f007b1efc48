# Reads a topology file. Prints one line for each NIC: number, number of its cable, KEY=VALUE,…
function fail(what)
{
	print FILENAME ":" FNR ": " what > "/dev/stderr"
	failed = 1
	exit 1
}

BEGIN { split("osc_ppb tick_ns delay_ns jitter_ns asym_ns lost link", list); for (i in list) known[list[i]] = 1 }

/^[ \t]*(#|$)/ { next }
$1 == "[cable" { cable = ++cables; nic = 0; next }
$1 == "[nic" { nic = $2 + 0; cable = 0; if (nic < 1 || nic > 8) fail("NICs have the numbers 1 to 8"); next }
cable && $1 == "nics" {
	for (i = 2; i <= NF; i++) {
		if ($i in cabled)
			fail("NIC " $i " has a cable already")
		cabled[$i] = cable
		if ($i > most)
			most = $i
	}
	next
}
!($1 in known) { fail("unknown key " $1) }
NF != 2 || $2 !~ /^-?[0-9]+$/ { fail($1 " takes an integer") }
cable { of_cable[cable] = of_cable[cable] "," $1 "=" $2; next }
nic { of_nic[nic] = of_nic[nic] "," $1 "=" $2; next }
{ fail("a key outside of any section") }

END {
	for (i = 1; i <= most && !failed; i++)
		print i, i in cabled ? cabled[i] : ++cables, substr(of_cable[cabled[i]] of_nic[i], 2)
	exit failed
}
