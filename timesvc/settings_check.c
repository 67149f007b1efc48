#include "settings.h"

#include <errno.h>
#include <string.h>
#include "conf.h"
#include "num.h"

/* run_dir carries socket names up to "/ptp4l-" NAME ".sock" within sun_path. */
#define RUN_DIR_MAX 60

static const struct conf_section *find_section(const struct conf *c, const char *kind, const char *name)
{
	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->sections[i].kind, kind) && !strcmp(c->sections[i].name, name))
			return &c->sections[i];
	return NULL;
}

/* Says what is wrong at the key's place, or at the section where the key is not written. */
static int complain(const struct conf *c, const char *kind, const char *name, const char *key,
	const char *what, struct err *e)
{
	const struct conf_section *s = find_section(c, kind, name);

	for (size_t i = 0; s && i < s->count; i++)
		if (!strcmp(s->entries[i].key, key))
			return conf_error(c, s->entries[i].line, s->entries[i].value_column, e,
				"key '%s': %s", key, what);
	return conf_error(c, s ? s->line : 1, s ? s->column : 1, e, "key '%s': %s", key, what);
}

struct relation {
	const char *kind, *key;
	int broken;
	const char *what;
};

static int check_relations(const struct settings *s, const struct conf *c, struct err *e)
{
	const struct policy_settings *p = &s->policy;
	const struct relation relations[] = {
		{ "policy", "alarm_clear", p->alarm_clear_ns >= p->alarm_offset_ns,
		  "not below alarm_offset (allowed: less than alarm_offset)" },
		{ "policy", "recover_bound", p->recover_bound_ns > p->fallback_bound_ns,
		  "above fallback_bound (allowed: up to fallback_bound)" },
		{ "policy", "alarm_offset", p->alarm_offset_ns > p->fallback_bound_ns,
		  "above fallback_bound, so it could never be seen (allowed: up to fallback_bound)" },
		{ "policy", "reply_timeout", p->reply_timeout_ns < s->poll_interval_ns,
		  "below poll_interval (allowed: poll_interval and more)" },
		{ "global", "liveness", s->liveness_ns < p->reply_timeout_ns,
		  "below reply_timeout (allowed: reply_timeout and more)" },
		{ "global", "void_after", s->void_after_ns < 2 * s->refresh_interval_ns,
		  "below two refresh intervals (allowed: 2 * refresh_interval and more)" },
		{ "global", "run_dir", strlen(s->run_dir) > RUN_DIR_MAX,
		  "too long for the sockets in it (allowed: up to 60 characters)" },
	};

	for (size_t i = 0; i < sizeof(relations) / sizeof(relations[0]); i++)
		if (relations[i].broken)
			return complain(c, relations[i].kind, "", relations[i].key, relations[i].what, e);
	return 0;
}

static int check_latencies(const struct clock_settings *k, const struct conf *c, struct err *e)
{
	for (int i = 0; i < k->ptp4l_count; i++) {
		const struct ptp4l_option *o = &k->ptp4l[i];
		const char *key = !strcmp(o->key, "egressLatency") ? "ptp4l.egressLatency" :
			!strcmp(o->key, "ingressLatency") ? "ptp4l.ingressLatency" : NULL;
		int64_t ns;

		if (key && num_parse_i64(o->value, INT32_MIN, INT32_MAX, &ns, NULL))
			return complain(c, "clock", k->name, key,
				"not nanoseconds (allowed: -2147483648 to 2147483647)", e);
	}
	return 0;
}

static int check_clock(const struct settings *s, int n, const struct conf *c, struct err *e)
{
	const struct clock_settings *k = &s->clocks[n];

	if (k->mode != MODE_ADOPT && !k->interface[0])
		return complain(c, "clock", k->name, "interface", "missing (needed unless mode is adopt)", e);
	if (k->utc_offset >= 0 && k->mode == MODE_STEER && k->role == ROLE_AUTO)
		return complain(c, "clock", k->name, "utc_offset",
			"phc2sys cannot be told without a role (allowed: with role reference or follower)",
			e);
	if (!strcmp(k->name, SYSTEM_RECORD))
		return conf_error(c, find_section(c, "clock", k->name)->line, 1, e,
			"the name '%s' is taken by the page's record of CLOCK_REALTIME", SYSTEM_RECORD);
	if (k->mode == MODE_ADOPT && k->ptp4l_count)
		return conf_error(c, find_section(c, "clock", k->name)->line, 1, e,
			"key 'ptp4l.%s': useless in adopt mode, where others run ptp4l", k->ptp4l[0].key);
	if (!k->interface[0] && !strcmp(k->time_stamping, "hardware"))
		return complain(c, "clock", k->name, "interface",
			"missing (needed with time_stamping hardware: its hardware clock is read)", e);
	for (int i = 0; i < n; i++)
		if (!strcmp(s->clocks[i].ptp4l_socket, k->ptp4l_socket))
			return complain(c, "clock", k->name, "ptp4l_socket",
				"the same as another clock's (allowed: one ptp4l per clock)", e);
	return check_latencies(k, c, e);
}

static int has_clock(const struct settings *s, const char *name)
{
	for (int i = 0; i < s->clock_count; i++)
		if (!strcmp(s->clocks[i].name, name))
			return 1;
	return 0;
}

#define PORTS "kernel:IFNAME, dpdk:NAME"

static int check_probe(const struct settings *s, const struct probe_settings *p, const struct conf *c,
	struct err *e)
{
	if (!has_clock(s, p->clock))
		return complain(c, "probe", p->name, "clock", "there is no [clock] section of that name", e);
	if (!p->port[0])
		return complain(c, "probe", p->name, "port", "missing (allowed: " PORTS ")", e);
	if (!strchr(p->port, ':'))
		return complain(c, "probe", p->name, "port", "no such port (allowed: " PORTS ")", e);
	if (!p->local_ip[0])
		return complain(c, "probe", p->name, "local_ip", "missing", e);
	if (!p->remote_ip[0])
		return complain(c, "probe", p->name, "remote_ip", "missing", e);
	if (!strcmp(p->local_ip, p->remote_ip))
		return complain(c, "probe", p->name, "remote_ip", "the same as local_ip", e);
	if (p->slices[0] && strcmp(p->command, "send"))
		return complain(c, "probe", p->name, "slices",
			"a reflector has none (allowed: with command send)", e);
	return 0;
}

int settings_check(const struct settings *s, const struct conf *c, struct err *e)
{
	if (!s->clock_count)
		return conf_error(c, 1, 1, e, "there is no clock (allowed: 1 to %d [clock NAME] sections)",
			CLOCKS_MAX);
	if (check_relations(s, c, e))
		return -EINVAL;
	for (int i = 0; i < s->clock_count; i++)
		if (check_clock(s, i, c, e))
			return -EINVAL;
	for (int i = 0; i < s->probe_count; i++)
		if (check_probe(s, &s->probes[i], c, e))
			return -EINVAL;
	return 0;
}
