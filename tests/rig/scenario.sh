# What every scenario starts with. Runs in the guest (bash).
#
#   world [EXTRA]           host a, the reference, on NIC 1, and host b, the follower, on NIC 2; both
#                           TRUSTED. Those of the scenario before go on if they are as they should be.
#                           RIG_MODE=observe, RIG_TSC=auto: how b, and how both, are configured.
#   in_host END COMMAND…    in END's namespace
#   watch END …             rigwatch on END's page; unwatch ends it
#   rigctl …                the rig's knobs and the truth: guest/rigctl.c
# and TAP of tests/lab/tap.sh.

. "$RIG_TOP/tests/lab/tap.sh"
W=/run/rig
mkdir -p $W

# A number that goes into the result of the run.
figure() { echo "# figure $1 $2"; }

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# Waits for a command to succeed, at most SECONDS.
within() { # SECONDS COMMAND…
	local deadline=$(($(now_ms) + $1 * 1000))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$(now_ms)" -lt $deadline ] || return 1
		sleep 0.2
	done
}

# --- hosts

# Not for what goes on in the background: its pid would be that of a subshell.
in_host() { local end=$1; shift; ip netns exec "$end" "$@"; }

nic_of() { case $1 in a) echo 1 ;; b) echo 2 ;; c) echo 3 ;; esac; }

# NIC n is the one device on bus n.
nic_pci() { printf '0000:%02x:00.0' "$1"; }

# Gives a NIC to a driver of the kernel's, or to vfio-pci.
nic_bind() { # NIC DRIVER
	local pci
	pci=/sys/bus/pci/devices/$(nic_pci "$1")
	[ "$(basename "$(readlink "$pci/driver")")" != "$2" ] || return 0
	[ -d "/sys/module/${2//-/_}" ] || modprobe "$2"
	echo "$2" >"$pci/driver_override"
	[ ! -e "$pci/driver" ] || nic_pci "$1" >"$pci/driver/unbind"
	nic_pci "$1" >/sys/bus/pci/drivers_probe
}

# Puts a NIC into END's namespace, as nicN.
nic_join() { # NIC END ADDRESS
	nic_bind "$1" igb
	[ -e "/run/netns/$2" ] || { ip netns add "$2" && ip -n "$2" link set lo up; }
	ip link set "$(basename "/sys/bus/pci/devices/$(nic_pci "$1")"/net/*)" netns "$2" name "nic$1"
	ip -n "$2" addr add "$3" dev "nic$1"
	ip -n "$2" link set "nic$1" up
}

# A namespace with the host's NIC for PTP in it.
host() { # END
	ip -n "$1" link show "nic$(nic_of "$1")" >/dev/null 2>&1 ||
		nic_join "$(nic_of "$1")" "$1" "10.77.0.$(nic_of "$1")/24"
}

phc_of() { echo "/dev/$(basename "/sys/bus/pci/devices/$(nic_pci "$(nic_of "$1")")"/ptp/ptp*)"; }
link_up() { ip -n "$1" link show dev "nic${2:-$(nic_of "$1")}" | grep -q LOWER_UP; } # END [NIC]

# --- timesvc on a host

timesvc() { local end=$1; shift; in_host "$end" "$RIG_STAGE/bin/timesvc" -f $W/"$end.conf" "$@"; }
# The state that the watch saw last.
state_is() { [[ $(tail -n 1 $W/"$1.events") == *"\"state\":\"$2\""* ]]; } # END STATE
trusted() { timesvc "$1" check >/dev/null 2>&1; }
status_holds() { # END CONDITION NAME
	timesvc "$1" --json status >$W/status.json
	holds $W/status.json "$2" "$3"
}

world_config() { # END MODE ROLE PRIORITY [EXTRA]
	cat >$W/"$1.conf" <<-END
		[global]
		run_dir $W/$1
		user nobody
		http_port 9319
		stop_children yes
		tsc ${RIG_TSC:-assume}
		[policy]
		hold_limit 2s
		recover_time 2s
		alarm_clear_time 2s
		[clock main]
		interface nic$(nic_of "$1")
		mode $2
		role $3
		time_stamping hardware
		ptp4l.logSyncInterval -4
		ptp4l.logAnnounceInterval -2
		ptp4l.logMinDelayReqInterval -3
		ptp4l.tx_timestamp_timeout 100
		ptp4l.priority1 $4
		${5:-}
	END
}

daemon_start() { # END
	ip netns exec "$1" "$RIG_STAGE/sbin/timesvcd" --foreground -f $W/"$1.conf" >$W/"$1.log" 2>&1 &
	echo $! >$W/"$1.pid"
}

world_end() {
	local end pid
	for end in a b c; do
		pid=$(cat $W/$end.pid 2>/dev/null) || continue
		kill -TERM "$pid"
		within 5 [ ! -e "/proc/$pid" ] || kill -KILL $(ip netns pids $end)
		rm -f $W/$end.pid
	done
}

# Nothing of what was before is left in b's bound.
settled() { timesvc b --json status | jq -e '.clocks[0].bound.gm_ns < 2000'; }

world() {
	local end
	[ -e $W/whole ] && rm $W/whole && [ "${RIG_TSC:-} ${RIG_MODE:-} $*" = "$(cat $W/extra)" ] &&
		trusted a && trusted b && within 15 settled && return
	world_end
	echo "${RIG_TSC:-} ${RIG_MODE:-} $*" >$W/extra
	host a
	host b
	within 10 link_up a && within 10 link_up b
	world_config a observe reference 100 "$*"
	world_config b "${RIG_MODE:-steer}" follower 128 "$*"
	daemon_start a
	daemon_start b
	within 30 trusted a && within 30 trusted b && within 15 settled
	ok $? "both hosts are TRUSTED" || { world_logs; exit 1; }
}

world_logs() { tail -n 15 $W/[abc].log | sed 's/^/# /'; }

# The last line of a scenario: the next one may go on from here if all is well.
scenario_done() {
	[ "$tap_failed" = 0 ] && touch $W/whole || world_logs
	tap_done
}

# A ptp4l of its own on host c, that follows and can take over from a.
other_master() {
	host c
	within 10 link_up c
	cat >$W/c.conf <<-END
		[global]
		priority1 110
		logAnnounceInterval -2
		logSyncInterval -4
		logMinDelayReqInterval -3
		tx_timestamp_timeout 100
		summary_interval 0
		uds_address $W/c.sock
	END
	ip netns exec c ptp4l -4 -H -f $W/c.conf -i nic3 -m >$W/c.log 2>&1 &
	echo $! >$W/c.pid
	within 20 other_in_step
}
other_in_step() { tail -n 1 $W/c.log | grep -qE ' rms +[0-9]{1,2} '; }

# --- the truth

watch() { # END [NIC of the reference]
	: >$W/"$1.events"
	/mnt/rig/rigwatch $W/"$1/page" main "${2:-1}" $W/"$1.events" $W/"$1.checks" &
	WATCH=$!
	within 5 [ -s $W/"$1.events" ]
	sleep 1
}

unwatch() { kill -TERM $WATCH; wait $WATCH; }

# The largest true error and bound among the checks of END in which a bound was claimed.
errors() { # END
	awk '$2 == "TRUSTED" || $2 == "HOLDOVER" { n++; e = $3 < 0 ? -$3 : $3; if (e > worst) worst = e
		if ($5 > bound) bound = $5; if (e - $4 > $5) wrong++ }
		END { print n + 0, worst + 0, bound + 0, wrong + 0 }' $W/"$1.checks"
}

# --- faults. `at` is the true time of an injection, as rigctl prints it.

# The first verdict against END after the injection; it names the reason (one of several, if a|b is given).
verdict() { # END AT REASONS
	local event ms
	jq -c --argjson at "$2" 'select(.true_ns >= $at and (.state != "TRUSTED" or .alarm))' $W/"$1.events" >$W/found
	event=$(head -n 1 $W/found)
	ms=$(jq --argjson at "$2" '(.true_ns - $at) / 1e6 | round' <<<"${event:-null}" 2>/dev/null)
	figure first_verdict_ms "${ms:-null}"
	[ -n "$ms" ] && [ "$ms" -le 500 ]
	ok $? "the first verdict comes after ${ms:-?} ms: $(jq -r '.state + " " + (.reasons | join(" "))' <<<"${event:-null}")"
	like "$(jq -r '.reasons | join(" ")' $W/found | head -n 40 | tr '\n' ' ')" "(^| )($3) " "and names $3"
}

# Counts checks of END between two instants that fulfil a condition of awk: fate, wrong, state.
checks() { # END FROM TO CONDITION
	awk -v from="$2" -v to="$3" '{ error = $3 < 0 ? -$3 : $3; wrong = error - $4 > $5; state = $2; fate = $6 }
		$1 >= from && $1 <= to && ('"$4"') { n++ } END { print n + 0 }' $W/"$1.checks"
}

# After unwatch: nothing of the fault was admitted, and nothing admitted at any time was wrong.
judged() { # END FROM TO
	local all
	all=$(checks "$1" 0 1e18 'fate == "admitted"')
	figure admitted "$all"
	is "$(checks "$1" "$2" "$3" 'fate == "admitted"')" 0 "nothing is admitted from after the fault began"
	is "$(checks "$1" 0 1e18 'fate == "admitted" && wrong')" 0 "nothing that was admitted was wrong (of $all)"
}

pids() { echo "$(cat $W/"$1.pid") $(timesvc "$1" --json status | jq '.clocks[0].ptp4l.pid')"; }

# END is TRUSTED again, and it is the same daemon and the same ptp4l.
recovers() { # END SECONDS PIDS
	local begin
	begin=$(now_ms)
	within "$2" trusted "$1"
	ok $? "TRUSTED again (after $(($(now_ms) - begin)) ms)"
	is "$(pids "$1")" "$3" "without a restart"
}
