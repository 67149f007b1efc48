#include "metrics.h"

#include <stddef.h>
#include "prom.h"
#include "reason.h"
#include "js.h"
#include "timesvc.h"

/* What a family shows of one clock: 0 when it is not known. */
struct family {
	const char *name, *type, *help;
	int seconds;		/* the value is in nanoseconds and shown in seconds */
	int (*get)(const struct clock_snapshot *c, int64_t *value);
};

static int get_alarm(const struct clock_snapshot *c, int64_t *value)
{
	*value = c->alarm;
	return 1;
}

static int get_offset(const struct clock_snapshot *c, int64_t *value)
{
	*value = c->offset_ns;
	return c->have_offset;
}

static int get_path_delay(const struct clock_snapshot *c, int64_t *value)
{
	*value = c->path_delay_ns;
	return c->have_offset;
}

static int get_evidence_age(const struct clock_snapshot *c, int64_t *value)
{
	*value = nstime_sub(c->page_ns, c->good_until_ns);
	return c->have_line;
}

static int get_epoch(const struct clock_snapshot *c, int64_t *value)
{
	*value = c->epoch;
	return c->epoch != 0;
}

static int get_rate(const struct clock_snapshot *c, int64_t *value)
{
	*value = c->rate_ppb;
	return c->have_line;
}

static int get_steps_removed(const struct clock_snapshot *c, int64_t *value)
{
	char text[24];

	*value = c->steps_removed;
	return js_identity_text(&c->parent_identity, text, sizeof(text)) != NULL;
}

static int get_system_offset(const struct clock_snapshot *c, int64_t *value)
{
	*value = c->system.offset_ns;
	return c->system.known && c->system.have_offset;
}

static int get_system_bound(const struct clock_snapshot *c, int64_t *value)
{
	*value = c->system.bound_ns;
	return c->system.known && c->system.bound_ns >= 0;
}

static int get_phc_read(const struct clock_snapshot *c, int64_t *value)
{
	*value = c->phc_read_ns;
	return c->have_phc;
}

static int get_phc_losses(const struct clock_snapshot *c, int64_t *value)
{
	*value = (int64_t)c->phc_losses;
	return !c->software;
}

#define GET_COUNTER(field) \
static int get_##field(const struct clock_snapshot *c, int64_t *value) \
{ \
	*value = (int64_t)c->field; \
	return 1; \
}
GET_COUNTER(syncs)
GET_COUNTER(polls)
GET_COUNTER(replies)
GET_COUNTER(late_replies)
GET_COUNTER(malformed)
GET_COUNTER(foreign)
GET_COUNTER(outliers)
GET_COUNTER(clock_steps)

static const struct family families[] = {
	{ "timesvc_clock_alarm", "gauge", "1: the offset is past the alarm line.", 0, get_alarm },
	{ "timesvc_clock_offset_seconds", "gauge", "Offset from the parent as ptp4l measured it.",
	  1, get_offset },
	{ "timesvc_clock_path_delay_seconds", "gauge", "Mean path delay as ptp4l measured it.",
	  1, get_path_delay },
	{ "timesvc_clock_evidence_age_seconds", "gauge",
	  "Age of the oldest fact that the trust stands on.", 1, get_evidence_age },
	{ "timesvc_clock_epoch", "gauge", "Raised by every discontinuity of the page's time.",
	  0, get_epoch },
	{ "timesvc_clock_rate_ppb", "gauge",
	  "Rate of the clock against the counter, from nominal, in parts per billion.",
	  0, get_rate },
	{ "timesvc_clock_steps_removed", "gauge", "Hops to the grandmaster.",
	  0, get_steps_removed },
	{ "timesvc_clock_system_offset_seconds", "gauge",
	  "CLOCK_REALTIME minus the hardware clock, the offset of UTC taken off.", 1, get_system_offset },
	{ "timesvc_clock_system_bound_seconds", "gauge",
	  "CLOCK_REALTIME's error is at most this.", 1, get_system_bound },
	{ "timesvc_clock_phc_read_seconds", "gauge",
	  "Half width of the last reading of the hardware clock.", 1, get_phc_read },
	{ "timesvc_clock_phc_losses_total", "counter", "How often the hardware clock vanished.",
	  0, get_phc_losses },
	{ "timesvc_clock_syncs_total", "counter", "Syncs seen.", 0, get_syncs },
	{ "timesvc_clock_polls_total", "counter", "Questions asked of ptp4l.", 0, get_polls },
	{ "timesvc_clock_replies_total", "counter", "Answers of ptp4l.", 0, get_replies },
	{ "timesvc_clock_late_replies_total", "counter", "Answers that came too late.",
	  0, get_late_replies },
	{ "timesvc_clock_malformed_total", "counter", "Messages that were no good.",
	  0, get_malformed },
	{ "timesvc_clock_foreign_total", "counter", "Messages that were not for us.",
	  0, get_foreign },
	{ "timesvc_clock_outliers_total", "counter", "Readings that stood alone.",
	  0, get_outliers },
	{ "timesvc_clock_steps_total", "counter", "Jumps of the clock against the counter.",
	  0, get_clock_steps },
};

static void put_family(FILE *out, const struct view *v, const struct family *f)
{
	struct clock_snapshot c;
	int64_t value;

	prom_family(out, f->name, f->type, f->help);
	for (int i = 0; i < view_clocks(v); i++) {
		if (!view_clock(v, i, &c) || !f->get(&c, &value))
			continue;
		prom_name(out, f->name, "clock", c.name, NULL);
		if (f->seconds)
			prom_seconds(out, value);
		else
			prom_integer(out, value);
	}
}

static void put_states(FILE *out, const struct view *v)
{
	static const char name[] = "timesvc_clock_state";
	struct clock_snapshot c;

	prom_family(out, name, "gauge", "1 for the state that the clock is in, 0 for the others.");
	for (int i = 0; i < view_clocks(v); i++) {
		view_clock(v, i, &c);
		for (int state = TSV_UNKNOWN; state <= TSV_STALE; state++) {
			prom_name(out, name, "clock", c.name, "state", tsv_state_name(state), NULL);
			prom_count(out, c.state == state);
		}
	}
}

static void put_reasons(FILE *out, const struct view *v)
{
	static const char name[] = "timesvc_clock_reason";
	struct clock_snapshot c;

	prom_family(out, name, "gauge", "1 for every reason that holds, 0 for the others.");
	for (int i = 0; i < view_clocks(v); i++) {
		if (!view_clock(v, i, &c))
			continue;
		for (int bit = 0; bit < TSV_REASON_COUNT; bit++) {
			prom_name(out, name, "clock", c.name, "reason", tsv_reason_name(bit), NULL);
			prom_count(out, c.reasons >> bit & 1);
		}
	}
}

static void put_part(FILE *out, const char *name, const char *clock, const char *key,
	const char *part, int64_t ns)
{
	prom_name(out, name, "clock", clock, key, part, NULL);
	prom_seconds(out, ns);
}

static void put_bounds(FILE *out, const struct view *v)
{
	static const char name[] = "timesvc_clock_bound_seconds";
	struct clock_snapshot c;

	prom_family(out, name, "gauge",
		"The clock's error is at most this: against its parent, the grandmaster, UTC.");
	for (int i = 0; i < view_clocks(v); i++) {
		view_clock(v, i, &c);
		if (c.bound_parent_ns >= 0)
			put_part(out, name, c.name, "kind", "parent", c.bound_parent_ns);
		if (c.bound_gm_ns >= 0)
			put_part(out, name, c.name, "kind", "gm", c.bound_gm_ns);
		if (c.bound_utc_ns >= 0)
			put_part(out, name, c.name, "kind", "utc", c.bound_utc_ns);
	}
}

static void put_terms(FILE *out, const struct view *v)
{
	static const char name[] = "timesvc_clock_bound_term_seconds";
	struct clock_snapshot c;

	prom_family(out, name, "gauge", "What the bound against the parent is made of.");
	for (int i = 0; i < view_clocks(v); i++) {
		view_clock(v, i, &c);
		if (c.bound_parent_ns < 0)
			continue;
		put_part(out, name, c.name, "term", "offset", c.offset_term_ns);
		put_part(out, name, c.name, "term", "path", c.path_term_ns);
		put_part(out, name, c.name, "term", "read", c.read_term_ns);
		put_part(out, name, c.name, "term", "growth", c.growth_term_ns);
	}
}

static void put_info(FILE *out, const struct view *v)
{
	static const char name[] = "timesvc_clock_info";
	struct clock_snapshot c;
	char own[24], up[24], gm[24];

	prom_family(out, name, "gauge", "What the clock is; always 1.");
	for (int i = 0; i < view_clocks(v); i++) {
		if (!view_clock(v, i, &c))
			continue;
		prom_name(out, name, "clock", c.name, "interface", c.interface,
			"time_stamping", c.software ? "software" : "hardware",
			"clock_identity", js_identity_text(&c.clock_identity, own, sizeof(own)),
			"parent_identity", js_identity_text(&c.parent_identity, up, sizeof(up)),
			"gm_identity", js_identity_text(&c.gm_identity, gm, sizeof(gm)), NULL);
		prom_count(out, 1);
	}
}

void metrics_clocks(FILE *out, const struct view *v)
{
	put_states(out, v);
	put_reasons(out, v);
	put_bounds(out, v);
	put_terms(out, v);
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		put_family(out, v, &families[i]);
	put_info(out, v);
}
