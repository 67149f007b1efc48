#include "status.h"

#include "js.h"
#include "timesvc.h"

static const char *mode_name(int mode)
{
	static const char *const name[] = { "observe", "steer", "adopt" };

	return mode >= MODE_OBSERVE && mode <= MODE_ADOPT ? name[mode] : NULL;
}

static const char *role_name(int role)
{
	return role == ROLE_REFERENCE ? "reference" : role == ROLE_FOLLOWER ? "follower" : NULL;
}

static json_t *bound_json(const struct clock_snapshot *c, enum status_source source)
{
	int parent = c->bound_parent_ns >= 0, gm = c->bound_gm_ns >= 0;
	int terms = parent && source == STATUS_ENGINE;

	return json_pack("{s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o}, s:o}",
		"parent_ns", js_number(parent, c->bound_parent_ns),
		"gm_ns", js_number(gm, c->bound_gm_ns),
		"utc_ns", js_number(c->bound_utc_ns >= 0, c->bound_utc_ns),
		"terms",
			"offset_ns", js_number(terms, c->offset_term_ns),
			"path_ns", js_number(terms, c->path_term_ns),
			"read_ns", js_number(terms, c->read_term_ns),
			"growth_ns", js_number(terms, c->growth_term_ns),
		"uses", js_text(gm ? "gm" : parent ? "parent" : NULL));
}

static json_t *counters_json(const struct clock_snapshot *c)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
		"syncs", (json_int_t)c->syncs,
		"polls", (json_int_t)c->polls,
		"replies", (json_int_t)c->replies,
		"late_replies", (json_int_t)c->late_replies,
		"malformed", (json_int_t)c->malformed,
		"foreign", (json_int_t)c->foreign,
		"outliers", (json_int_t)c->outliers,
		"clock_steps", (json_int_t)c->clock_steps);
}

static json_t *trust_json(const struct clock_snapshot *c, enum status_source source)
{
	int line = c->have_line, current = source != STATUS_NOBODY;

	return json_pack("{s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
		"name", c->name,
		"interface", js_text(c->interface[0] ? c->interface : NULL),
		"mode", js_text(mode_name(c->mode)),
		"role", js_text(current ? role_name(c->role) : NULL),
		"state", tsv_state_name(c->state),
		"alarm", current ? json_boolean(c->alarm) : json_null(),
		"since", js_instant(c->since_wall_ns != 0, c->since_wall_ns),
		"reasons", js_reasons(c->reasons),
		"epoch", js_number(c->epoch != 0, c->epoch),
		"page_ns", js_instant(line, c->page_ns),
		"good_until_ns", js_instant(line, c->good_until_ns));
}

static json_t *measured_json(const struct clock_snapshot *c, enum status_source source)
{
	int offset = c->have_offset, line = c->have_line && source == STATUS_ENGINE;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
		"offset_ns", js_number(offset, c->offset_ns),
		"path_delay_ns", js_number(offset, c->path_delay_ns),
		"ingress_ns", js_instant(offset && c->ingress_ns, c->ingress_ns),
		"bound", bound_json(c, source),
		"rate_ppb", js_number(line, c->rate_ppb),
		"growth_ppb", js_number(line, c->growth_ppb));
}

static int known(const struct ptp_identity *id)
{
	char text[24];

	return js_identity_text(id, text, sizeof(text)) != NULL;
}

static json_t *ptp_json(const struct clock_snapshot *c, enum status_source source)
{
	int parent = known(&c->parent_identity), gm = known(&c->gm_identity);
	int current = source != STATUS_NOBODY, class = gm && source == STATUS_ENGINE;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"port_state", js_text(c->port_state ? ptp_port_state_name(c->port_state) : NULL),
		"clock_identity", js_identity(&c->clock_identity),
		"parent_identity", js_identity(&c->parent_identity),
		"gm_identity", js_identity(&c->gm_identity),
		"steps_removed", js_number(parent, c->steps_removed),
		"gm_class", js_number(class, c->gm_class),
		/* clockAccuracy 0xFE is "unknown" (IEEE 1588-2019 Table 5) */
		"gm_accuracy", js_number(class && c->gm_accuracy != 0xFE, c->gm_accuracy),
		"utc_offset_s", js_number(c->utc_offset_valid, c->utc_offset),
		"domain", js_number(current, c->domain),
		"timescale", js_text(!gm ? NULL : c->ptp_timescale ? "PTP" : "ARB"),
		"time_stamping", js_text(!current ? NULL : c->software ? "software" : "hardware"));
}

/* null: no hardware clock, or none now. */
static json_t *phc_json(const struct clock_snapshot *c)
{
	if (!c->have_phc)
		return json_null();
	return json_pack("{s:i, s:o, s:o, s:s, s:s, s:i}",
		"ptp", c->phc.index,
		"pci", js_text(c->phc.pci[0] ? c->phc.pci : NULL),
		"driver", js_text(c->phc.driver[0] ? c->phc.driver : NULL),
		"name", c->phc.name,
		"read", c->phc_way,
		"read_half_width_ns", c->phc_read_ns);
}

/* CLOCK_REALTIME as this clock makes it; null: it is not compared with this one. */
static json_t *system_json(const struct clock_snapshot *c)
{
	const struct system_snapshot *s = &c->system;

	if (!s->known)
		return json_null();
	return json_pack("{s:s, s:o, s:I, s:o, s:o, s:o, s:i, s:I}",
		"state", tsv_state_name(s->state),
		"reasons", js_reasons(s->reasons),
		"epoch", (json_int_t)s->epoch,
		"offset_ns", js_number(s->have_offset, s->offset_ns),
		"bound_ns", js_number(s->bound_ns >= 0, s->bound_ns),
		"utc_offset_s", js_number(s->have_offset, s->utc_offset),
		"read_half_width_ns", s->read_ns,
		"clock_steps", (json_int_t)s->clock_steps);
}

json_t *status_clock_from(const struct clock_snapshot *c, enum status_source source)
{
	int engine = source == STATUS_ENGINE;
	json_t *out = trust_json(c, source);
	json_t *measured = measured_json(c, source), *ptp = ptp_json(c, source);
	json_t *rest = json_pack("{s:o, s:o, s:o, s:b, s:o, s:o}",
		"phc", phc_json(c),
		"system", system_json(c),
		"counters", engine ? counters_json(c) : json_null(),
		"drill", c->drill,
		"ptp4l", status_child(engine ? &c->ptp4l : NULL),
		"phc2sys", status_child(engine ? &c->phc2sys : NULL));

	json_object_update(out, measured);
	json_object_update(out, ptp);
	json_object_update(out, rest);
	json_decref(measured);
	json_decref(ptp);
	json_decref(rest);
	return out;
}

json_t *status_clock(const struct view *v, int clock)
{
	struct clock_snapshot c;
	int current = view_clock(v, clock, &c);

	return status_clock_from(&c, current ? STATUS_ENGINE : STATUS_NOBODY);
}
