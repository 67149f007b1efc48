# What every system test starts with: TAP, the lab, the installed programs. Sourced (bash).
# TIMESVC_TOP and TIMESVC_STAGE come from runtests; by hand the tree's own build is used.

TOP=${TIMESVC_TOP:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
. "$TOP/tests/lab/tap.sh"
. "$TOP/tests/lab/lab.sh"
LAB_STAGE=${TIMESVC_STAGE:-$TOP/build/stage}

[ "$(id -u)" = 0 ] || tap_skip_all "needs root for network namespaces"
[ -x "$LAB_STAGE/sbin/timesvcd" ] || { echo "Bail out! no programs in $LAB_STAGE"; exit 1; }

cleanup() {
	local code=$?
	trap - EXIT
	lab_stop a
	lab_stop b
	[ "$code" = 0 ] || tail -n 40 "$LAB"/*.log 2>/dev/null | sed 's/^/# /'
	lab_end
	exit $code
}
trap cleanup EXIT
trap 'exit 130' INT TERM

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# Waits until the jq condition holds on END's status, at most MS; prints how long it took, fails when never.
await() { # END MS CONDITION
	local begin deadline
	begin=$(now_ms)
	deadline=$((begin + $2))
	while :; do
		# Not jq -e: 1.6 takes an empty input for a success.
		if [ "$(lab_status "$1" 2>/dev/null | jq "$3" 2>/dev/null)" = true ]; then
			echo $(($(now_ms) - begin))
			return 0
		fi
		[ "$(now_ms)" -lt "$deadline" ] || return 1
		sleep 0.02
	done
}

# Both hosts TRUSTED.
lab_trusted() {
	lab_make
	lab_config a "$@"
	lab_config b "$@"
	lab_start a
	lab_start b
	await a 15000 '.clocks[0].state == "TRUSTED"' >/dev/null &&
		await b 15000 '.clocks[0].state == "TRUSTED"' >/dev/null
}

ptp4l_pid() { lab_status "$1" | jq .clocks[0].ptp4l.pid; }
