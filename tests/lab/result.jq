# The result of a quickstart run, from both ends' status, the sending probe's report and its slice log.
# Nanoseconds since 1970 come as strings; jq's doubles hold them to about 0.2 us, enough for what is asked here.

def end_of: .clocks[0] | {
	state, alarm, reasons: [.reasons[].name], offset_ns, bound_ns: (.bound.gm_ns // .bound.parent_ns)
};
def seconds_since_start: ((tonumber) - $started) / 1e9;
def events_of($name): [.events[] | select((.t_ns | tonumber) >= $started) | {
	t_s: (.t_ns | seconds_since_start), end: $name,
	from: (.from + if .alarm_from then "+ALARM" else "" end),
	to: (.to + if .alarm_to then "+ALARM" else "" end),
	reasons, t_ns, evidence_ns
}];
def sum(f): map(f) | add // 0;
def ms_after($since; f): if $since == null then null else
	[.[] | (.t_ns | tonumber) as $t | select($t >= $since and f) | ($t - $since) / 1e6][0] end;

($a[0] | events_of("a")) as $ea
| ($b[0] | events_of("b")) as $eb
# The first Sync that carries the shift: the earliest reading that spoke for an edge after it.
| ([$eb[] | select($shifted > 0 and .evidence_ns != null) | .evidence_ns | tonumber
	| select(. > $shifted)] | min) as $first
| ($probe[0]) as $p
| {
	seconds: $seconds,
	ends: { a: ($a[0] | end_of), b: ($b[0] | end_of) },
	rtt: ($p.rtt | { count, p50_ns, p99_ns, p999_ns, max_ns }),
	one_way: ($p.one_way | map_values({
		trusted: (.trusted | { count, p50_ns, p99_ns, bound_ns }),
		untrusted: (.untrusted | { count, p50_ns, p99_ns })
	})),
	gate: $p.gate,
	stamps: $p.stamps,
	sent: $p.sent, lost: $p.lost,
	events: ($ea + $eb | sort_by(.t_s) | map(del(.t_ns, .evidence_ns))),
	shift: (if $shift_us == null then null else {
		us: $shift_us,
		at_s: (if $first == null then null else ($first - $started) / 1e9 end),
		alarm_after_ms: ($eb | ms_after($first; .to | endswith("+ALARM"))),
		fallback_after_ms: ($eb | ms_after($first; .to == "LOCAL_RTT")),
		admitted_before_shift: ([$slices[] | select(.verdict == "admitted"
			and ($first == null or (.end_ns | tonumber) <= $first))] | sum(.count)),
		withdrawn: ([$slices[] | select((.verdict | startswith("withdrawn_"))
			and .verdict != "withdrawn_end" and (.end_ns | tonumber) >= $shifted - 1e9)] | sum(.count)),
		admitted_after_shift: ([$slices[] | select(.verdict == "admitted"
			and $first != null and (.end_ns | tonumber) > $first)] | sum(.count))
	} end)
}
# With a shift the ends may well contradict each other: that is what it does.
| .ok = (.rtt.count > 0 and ($shift_us != null or
	(.gate.contradictions == 0 and (.ends | all(.state == "TRUSTED")))))
