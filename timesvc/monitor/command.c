#include "confgen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "nstime.h"

static void add(struct command *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct command *c, const char *fmt, ...)
{
	size_t room = sizeof(c->text) - c->used;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(c->text + c->used, room, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= room || c->argc == COMMAND_ARGS_MAX) {
		c->overflow = 1;
		return;
	}
	c->argv[c->argc++] = c->text + c->used;
	c->argv[c->argc] = NULL;
	c->used += (size_t)n + 1;
}

static void add_option(struct command *c, const char *option, const char *value)
{
	if (!*value)
		return;
	add(c, "%s", option);
	add(c, "%s", value);
}

static void add_number(struct command *c, const char *option, int64_t value)
{
	add(c, "%s", option);
	add(c, "%lld", (long long)value);
}

static void command_ptp4l(const struct settings *s, int clock, struct command *c)
{
	char path[PATH_SIZE + NAME_SIZE + 16];

	add(c, "%s", s->ptp4l_program);
	add_option(c, "-f", confgen_ptp4l_path(s, clock, path, sizeof(path)));
}

/* -w: nothing is steered before ptp4l is in step, and UTC comes from it unless -O says it. */
static void command_phc2sys(const struct settings *s, int clock, struct command *c)
{
	const struct clock_settings *k = &s->clocks[clock];

	add(c, "%s", s->phc2sys_program);
	if (k->role == ROLE_AUTO) {
		add(c, "-a");
		add(c, "-rr");
	} else {
		add_option(c, "-s", k->role == ROLE_FOLLOWER ? k->interface : "CLOCK_REALTIME");
		add_option(c, "-c", k->role == ROLE_FOLLOWER ? "CLOCK_REALTIME" : k->interface);
		add(c, "-w");
		if (k->utc_offset >= 0)
			add_number(c, "-O", k->role == ROLE_FOLLOWER ? -k->utc_offset : k->utc_offset);
	}
	add_option(c, "-z", k->ptp4l_socket);
	add_number(c, "-n", k->domain);
	if (k->transport_specific)
		add(c, "--transportSpecific=%d", k->transport_specific);
	add(c, "-m");
	add(c, "-q");
}

static void add_words(struct command *c, const char *words)
{
	char copy[sizeof(((struct probe_settings *)0)->eal)], *rest, *word;

	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		add(c, "%s", word);
}

/* The probe takes no less than 1 ms. */
static int64_t hold_limit_ms(const struct settings *s)
{
	int64_t ms = (s->policy.hold_limit_ns + NS_PER_MS - 1) / NS_PER_MS;

	return ms > 0 ? ms : 1;
}

static void command_probe(const struct settings *s, int probe, struct command *c)
{
	const struct probe_settings *p = &s->probes[probe];
	char path[PATH_SIZE + NAME_SIZE + 16];
	int sends = !strcmp(p->command, "send");

	add(c, "%s", s->probe_program);
	add(c, "%s", p->command);
	add_option(c, "--port", p->port);
	add_option(c, "--page", settings_page_path(s, path, sizeof(path)));
	add_option(c, "--clock", p->clock);
	add_option(c, "--local-ip", p->local_ip);
	add_option(c, "--remote-ip", p->remote_ip);
	if (p->vlan >= 0)
		add_number(c, "--vlan", p->vlan);
	add_number(c, "--udp-port", p->udp_port);
	if (sends) {
		add_number(c, "--rate", p->rate);
		add_number(c, "--hold-limit-ms", hold_limit_ms(s));
	}
	add_option(c, "--segment", settings_segment_path(s, probe, path, sizeof(path)));
	add_option(c, "--name", p->name);
	add_option(c, "--json", p->json);
	add_option(c, "--slices", p->slices);
	add(c, "--");
	add_words(c, p->eal);
}

int confgen_wants(const struct settings *s, struct child_id id)
{
	const struct clock_settings *k = &s->clocks[id.index];

	switch (id.kind) {
	case CHILD_PTP4L:
		return id.index < s->clock_count && k->mode != MODE_ADOPT;
	case CHILD_PHC2SYS:	/* with software stamps ptp4l itself steers the system clock */
		return id.index < s->clock_count && k->mode == MODE_STEER &&
			!strcmp(k->time_stamping, "hardware");
	default:
		return id.index < s->probe_count;
	}
}

char *confgen_child_name(const struct settings *s, struct child_id id, char *buf, size_t size)
{
	static const char *const kinds[] = { "ptp4l", "phc2sys", "probe" };
	const char *name = id.kind == CHILD_PROBE ? s->probes[id.index].name : s->clocks[id.index].name;

	snprintf(buf, size, "%s %s", kinds[id.kind], name);
	return buf;
}

int confgen_command(const struct settings *s, struct child_id id, struct command *c)
{
	c->argc = 0;
	c->used = 0;
	c->overflow = 0;
	if (id.kind == CHILD_PTP4L)
		command_ptp4l(s, id.index, c);
	else if (id.kind == CHILD_PHC2SYS)
		command_phc2sys(s, id.index, c);
	else
		command_probe(s, id.index, c);
	return c->overflow ? -EMSGSIZE : 0;
}

char *confgen_command_text(const struct command *c, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; i < c->argc && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? " " : "", c->argv[i]);
	return buf;
}
