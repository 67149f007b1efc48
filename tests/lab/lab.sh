# Two hosts on one machine: namespaces joined by a veth pair, a timesvcd in each (a serves time, b follows),
# a probe on either side of the link. Sourced by quickstart and the system tests (bash).
#
#   LAB        directory of this lab; made by lab_make, removed by lab_end
#   LAB_STAGE  where the programs are installed
#   lab_exec END COMMAND…   runs in END's namespace

LAB_CLOCK=link0
LAB_RATE=${LAB_RATE:-1000}

# Configures (once), builds and installs TOP into BUILD/stage.
lab_build() { # TOP BUILD [CONFIGURE ARGUMENT…]
	local top=$1 build=$2
	shift 2
	LAB_STAGE=$build/stage
	mkdir -p "$build"
	{
		[ -x "$top/configure" ] || (cd "$top" && ./bootstrap)
		[ -e "$build/Makefile" ] ||
			(cd "$build" && "$top/configure" --prefix="$LAB_STAGE" "$@")
		make -C "$build" -j"$(nproc)" && make -C "$build" install
	} >"$build/build.log" 2>&1 || {
		tail -n 20 "$build/build.log" >&2
		echo "the build failed; all of it: $build/build.log" >&2
		return 1
	}
}

lab_program() { # NAME
	local dir
	for dir in sbin bin; do
		[ -x "$LAB_STAGE/$dir/$1" ] && echo "$LAB_STAGE/$dir/$1" && return
	done
	return 1
}

lab_netns() { echo "tsv$$-$1"; }
lab_exec() { local end=$1; shift; ip netns exec "$(lab_netns "$end")" "$@"; }

# What a lab left behind whose script was killed outright.
lab_sweep() {
	local name owner pids
	for name in $(ip netns list | sed -n 's/^\(tsv[0-9]*-[ab]\)\b.*/\1/p'); do
		owner=${name#tsv}
		kill -0 "${owner%-?}" 2>/dev/null && continue
		pids=$(ip netns pids "$name")
		[ -n "$pids" ] && kill -KILL $pids
		ip netns del "$name"
	done
	for name in "${TMPDIR:-/tmp}"/timesvc-lab.*.*; do
		owner=${name##*timesvc-lab.}
		[ ! -d "$name" ] || kill -0 "${owner%%.*}" 2>/dev/null || rm -rf "$name"
	done
}

lab_make() {
	if [ "$(id -u)" != 0 ]; then
		echo "namespaces and raw sockets need root: run it with sudo" >&2
		exit 5
	fi
	lab_sweep
	LAB=$(mktemp -d "${TMPDIR:-/tmp}/timesvc-lab.$$.XXXXXX")
	chmod 755 "$LAB"
	local end
	for end in a b; do
		ip netns add "$(lab_netns $end)"
		lab_exec $end ip link set lo up
	done
	ip link add veth-a netns "$(lab_netns a)" type veth peer name veth-b netns "$(lab_netns b)"
	lab_exec a ip addr add 10.77.0.1/24 dev veth-a
	lab_exec b ip addr add 10.77.0.2/24 dev veth-b
	lab_exec a ip link set veth-a up
	lab_exec b ip link set veth-b up
}

# Whatever still runs in the namespaces goes with them.
lab_end() {
	local end pids
	[ -n "${LAB:-}" ] || return 0
	for end in a b; do
		pids=$(ip netns pids "$(lab_netns $end)" 2>/dev/null)
		[ -n "$pids" ] && kill -KILL $pids 2>/dev/null
		ip netns del "$(lab_netns $end)" 2>/dev/null
	done
	rm -rf "$LAB"
	LAB=
}

# Writes END's timesvc.conf. SHIFT_US moves the time that a serves; EXTRA is put into [global].
lab_config() { # END [SHIFT_US [EXTRA]]
	local end=$1 shift_ns=$((${2:-0} * 1000)) role=follower command=reflect local_ip=10.77.0.12 remote_ip=10.77.0.11 slices=
	if [ "$end" = a ]; then
		role=reference command=send local_ip=10.77.0.11 remote_ip=10.77.0.12 slices="slices $LAB/a.slices.jsonl"
	fi
	cat >"$LAB/$end.conf" <<-CONF
		[global]
		run_dir $LAB/$end
		user nobody
		http_port 9319
		stop_children yes
		${3:-}
		[clock $LAB_CLOCK]
		interface veth-$end
		mode observe
		role $role
		time_stamping software
		ptp4l.logSyncInterval -4
		ptp4l.logAnnounceInterval -2
		ptp4l.logMinDelayReqInterval -3
		ptp4l.tx_timestamp_timeout 50
		ptp4l.egressLatency $shift_ns
		ptp4l.ingressLatency $((-shift_ns))
	CONF
	[ -n "${LAB_NO_PROBE:-}" ] || cat >>"$LAB/$end.conf" <<-CONF
		[probe link]
		command $command
		port dpdk:net_af_packet0
		eal --no-huge -m 128 --no-pci --vdev=net_af_packet0,iface=veth-$end
		local_ip $local_ip
		remote_ip $remote_ip
		rate $LAB_RATE
		json $LAB/$end.probe.json
		$slices
	CONF
}

lab_start() { # END
	# Not by lab_exec: the pid must be the daemon's, not a subshell's.
	ip netns exec "$(lab_netns "$1")" "$(lab_program timesvcd)" --foreground -f "$LAB/$1.conf" \
		>"$LAB/$1.log" 2>&1 &
	echo $! >"$LAB/$1.pid"
}

lab_reload() { kill -HUP "$(cat "$LAB/$1.pid")"; }

lab_stop() { # END: in order, so that the probes write their reports
	local pid
	pid=$(cat "$LAB/$1.pid" 2>/dev/null) || return 0
	kill -TERM "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	rm -f "$LAB/$1.pid"
}

lab_status() { lab_exec "$1" "$(lab_program timesvc)" -f "$LAB/$1.conf" --json status; }
lab_check() { lab_exec "$1" "$(lab_program timesvc)" -f "$LAB/$1.conf" check; }

# Waits until END's clock is in one of the states, at most SECONDS.
lab_wait() { # END SECONDS STATE…
	local end=$1 deadline=$((SECONDS + $2)) state
	shift 2
	while [ $SECONDS -le $deadline ]; do
		state=$(lab_status "$end" 2>/dev/null | jq -r '.clocks[0].state')
		case " $* " in *" $state "*) return 0 ;; esac
		sleep 0.1
	done
	return 1
}
