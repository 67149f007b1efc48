# A quickstart result in words.

def us: if . == null then "not resolvable" else "\(. / 100 | round / 10) us" end;
def ms: if . == null then "never" else "\(. | round) ms" end;
def way($name; $from; $to): .one_way[$name] |
	"  \($from) -> \($to)   trusted \(.trusted.count) samples, median \(.trusted.p50_ns | us), p99 \(.trusted.p99_ns | us), bound \(.trusted.bound_ns | us)",
	"           untrusted \(.untrusted.count) samples, median \(.untrusted.p50_ns | us), kept apart";

"",
(.ends | to_entries[] | "host \(.key): \(.value.state)\(if .value.alarm then " + ALARM" else "" end), offset \(.value.offset_ns | us), bound \(.value.bound_ns | us)\(if (.value.reasons | length) > 0 then " (" + (.value.reasons | join(", ")) + ")" else "" end)"),
"round trip (\(.stamps.near_tx) stamps): \(.rtt.count) samples, median \(.rtt.p50_ns | us), p99 \(.rtt.p99_ns | us), p99.9 \(.rtt.p999_ns | us)",
"one way (\(.stamps.near_tx) stamps):", way("ab"; "a"; "b"), way("ba"; "b"; "a"),
"samples: \(.gate.admitted) admitted, \(.gate.withdrawn) withdrawn, \(.gate.contradictions) contradictions, \(.lost) of \(.sent) probes lost",
(if .shift then .shift |
	"shift of \(.us) us: alarm after \(.alarm_after_ms | ms), fallback after \(.fallback_after_ms | ms); admitted before \(.admitted_before_shift), withdrawn \(.withdrawn), admitted after \(.admitted_after_shift)"
else empty end),
(.events[] | "  \(.t_s * 1000 | round / 1000) s  host \(.end): \(.from) -> \(.to)  \(.reasons | join(", "))"),
if .ok then "ok" else "not ok" end
