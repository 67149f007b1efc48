# TAP for shell scripts. Source it, call ok/is/check, end with tap_done.

tap_count=0 tap_failed=0

ok() { # STATUS NAME
	tap_count=$((tap_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_count - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $2"
		return 1
	fi
}

is() { # GOT WANTED NAME
	[ "$1" = "$2" ]
	ok $? "$3" || printf '#      got: %s\n#   wanted: %s\n' "$1" "$2"
}

like() { # GOT PATTERN NAME (extended regular expression)
	[[ $1 =~ $2 ]]
	ok $? "$3" || printf '#      got: %s\n#     like: %s\n' "$1" "$2"
}

# A jq condition on a JSON file; what it was is shown when it does not hold.
holds() { # FILE CONDITION NAME
	[ "$(jq "$2" "$1" 2>/dev/null)" = true ]
	ok $? "$3" || { echo "#   not: $2"; jq -c . "$1" 2>&1 | head -c 1500 | sed 's/^/#   /'; echo; }
}

note() { sed 's/^/# /' <<<"$*"; }

tap_skip_all() { echo "1..0 # SKIP $1"; exit 0; }

tap_done() {
	echo "1..$tap_count"
	[ "$tap_failed" = 0 ]
	exit
}
