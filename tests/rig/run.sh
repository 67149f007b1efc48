# Runs scenarios: those with the same cabling and time in one guest, one after the other. Sourced by rig.
#
# A scenario says about itself, at its top:
#   # about: one sentence
#   # topology: FILE       of this folder; topology.conf if it says nothing
#   # time: real           see guest.sh; counted if it says nothing
#   # seconds: N           it is stopped after so many; 60

RIG_BOOT_SECONDS=60

# Relays the guest's console as one TAP stream; RUN/results gets a line of JSON for each scenario.
relay() {
	local line name='' began='' good bad skip figures text wall status ended value
	while IFS= read -r line; do
		line=${line%$'\r'}
		case $line in
		"# begin "*)
			read -r _ _ name began <<<"$line"
			good=0 bad=0 skip=0 figures='{}' wall=$(now)
			;;
		"# end "*)
			read -r _ _ _ status ended <<<"$line"
			if [ "$status" != 0 ] && [ $bad = 0 ]; then
				bad=1
				[ "$status" = 124 ] && text="it ended in time" || text="it ended well (status $status)"
				test_line "not ok" "$name: $text"
			fi
			result "$name" $good $bad $skip "$began" "$ended" "$(($(now) - wall))" "$figures"
			;;
		"# figure "*)
			read -r _ _ text value _ <<<"$line"
			figures=$(jq -c --arg n "$text" --argjson v "$value" '.[$n] = $v' <<<"$figures")
			echo "# $name: $text = $value"
			;;
		"1..0 # "[Ss][Kk][Ii][Pp]*)
			skip=1
			test_line ok "$name # SKIP ${line#1..0 # ???? }"
			;;
		"ok "* | "not ok "*)
			[[ $line =~ ^((not )?ok)\ [0-9]*(\ -)?\ ?(.*)$ ]]
			text=${BASH_REMATCH[4]}
			case ${BASH_REMATCH[1]} in ok) good=$((good + 1)) ;; *) bad=$((bad + 1)) ;; esac
			test_line "${BASH_REMATCH[1]}" "$name: $text"
			;;
		1..*) ;;
		'#'*) echo "$line" ;;
		'') ;;
		*) echo "# ${name:+$name: }$line" ;;
		esac
	done
}

test_line() { # OK TEXT
	echo "$1 $(($(wc -l <"$RUN/tests") + 1)) - $2"
	echo "$1" >>"$RUN/tests"
}

now() { echo $(($(date +%s%N) / 1000000)); }

# `seconds` are the guest's, `wall_seconds` those of the world outside.
result() { # NAME PASSED FAILED SKIPPED BEGAN ENDED WALL-MS FIGURES
	jq -nc --arg name "$1" --argjson passed "$2" --argjson failed "$3" --argjson skipped "$4" \
		--argjson began "$5" --argjson ended "$6" --argjson wall "$7" --argjson figures "$8" \
		'{$name, $passed, $failed, $skipped, seconds: (($ended - $began) * 100 | round / 100),
		wall_seconds: ($wall / 1000), $figures}' >>"$RUN/results"
}

# What did not come to its end, because the guest did not.
run_lost() { # NAME…
	local name
	for name in "$@"; do
		grep -q "\"name\":\"$name\"" "$RUN/results" && continue
		test_line "not ok" "$name: the guest ran it to its end"
		result "$name" 0 1 0 0 0 0 '{}'
		lost=1
	done
	[ -z "${lost:-}" ] || tail -n 20 "$RUN/qemu.log" | sed 's/^/# qemu: /'
}

# The kind of guest that a scenario needs: TOPOLOGY,TIME.
guest_of() {
	local topology time
	topology=$(about "$1" topology) time=$(about "$1" time)
	echo "${topology:-topology.conf},${time:-counted}"
}

run_guest() { # KIND NAME…
	local kind=$1 name seconds total=$RIG_BOOT_SECONDS
	shift
	for name in "$@"; do
		seconds=$(about "$name" seconds)
		total=$((total + ${seconds:-60} * 2))
	done
	: >"$RUN/truth.jsonl"
	build_watch "$RUN/rigwatch" || return
	RIG_RUN="$*" guest_boot "$RIG_DIR/${kind%,*}" "${kind#*,}" "$total" </dev/null | relay
	run_lost "$@"
}

run_names() { # NAME…: all of them, checked
	local name
	for name in "$@"; do
		[ "$name" = all ] && scenarios && continue
		[ -e "$RIG_DIR/scenarios/$name.sh" ] || { echo "there is no scenario $name" >&2; return 2; }
		echo "$name"
	done
}

run_json() { # SECONDS
	jq -s --argjson seconds "$1" --arg qemu "$(guest_qemu && "${QEMU[@]}" --version | head -n 1)" \
		'{schema: 1, qemu: $qemu,
		seconds: $seconds, passed: (map(.passed) | add), failed: (map(.failed) | add),
		skipped: (map(.skipped) | add), scenarios: .}' "$RUN/results"
}

# RIG_KEEP=DIR keeps what a run leaves: logs of the hosts, events, checks, the truth.
run_end() {
	[ -z "${RIG_KEEP:-}" ] || { mkdir -p "$RIG_KEEP" && cp -r "$RUN/." "$RIG_KEEP/"; }
	rm -rf "$RUN"
}

run() { # NAME… [--json FILE]
	local json='' names=() list kind name begin=$SECONDS
	while [ $# -gt 0 ]; do
		case $1 in
		--json) [ $# -gt 1 ] || usage; json=$2; shift ;;
		-*) usage ;;
		*) names+=("$1") ;;
		esac
		shift
	done
	[ ${#names[@]} -gt 0 ] || usage
	list=$(run_names "${names[@]}") || return
	RUN=$(mktemp -d)
	trap run_end EXIT
	: >"$RUN/tests" >"$RUN/results"
	for kind in $(for name in $list; do guest_of "$name"; done | awk '!seen[$0]++'); do
		run_guest "$kind" $(for name in $list; do
			[ "$(guest_of "$name")" = "$kind" ] && echo "$name"
		done)
	done
	echo "1..$(wc -l <"$RUN/tests")"
	[ -z "$json" ] || run_json $((SECONDS - begin)) >"$json"
	! grep -q '^not ok' "$RUN/tests"
}
