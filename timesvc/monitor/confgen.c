#include "confgen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
	char *buf;
	size_t size, used;
};

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->used >= t->size)
		return;
	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->used, t->size - t->used, fmt, ap);
	va_end(ap);
	t->used += n < 0 ? t->size : (size_t)n;
}

/* These belong to the wire of one port; ptp4l takes all others in [global]. */
static int belongs_to_port(const char *key)
{
	return !strcmp(key, "egressLatency") || !strcmp(key, "ingressLatency") ||
		!strcmp(key, "delayAsymmetry");
}

static void put_options(struct text *t, const struct clock_settings *c, int of_port)
{
	for (int i = 0; i < c->ptp4l_count; i++)
		if (belongs_to_port(c->ptp4l[i].key) == of_port)
			put(t, "%s %s\n", c->ptp4l[i].key, c->ptp4l[i].value);
}

/* slaveOnly and masterOnly: 3.x knows no other names, 4.x still takes them. */
static void put_global(struct text *t, const struct settings *s, int clock, struct ptp4l_version v)
{
	const struct clock_settings *c = &s->clocks[clock];
	char path[PATH_SIZE + NAME_SIZE + 16];

	put(t, "[global]\n");
	put(t, "uds_address %s\n", c->ptp4l_socket);
	if (v.major >= 4)
		put(t, "uds_ro_address %s\n", confgen_ro_socket_path(s, clock, path, sizeof(path)));
	put(t, "domainNumber %d\n", c->domain);
	put(t, "transportSpecific %d\n", c->transport_specific);
	put(t, "network_transport %s\n", c->transport);
	put(t, "time_stamping %s\n", c->time_stamping);
	put(t, "free_running %d\n", c->mode == MODE_OBSERVE);
	put(t, "slaveOnly %d\n", c->role == ROLE_FOLLOWER);
	put(t, "verbose 1\nuse_syslog 0\n");
	put_options(t, c, 0);
}

int confgen_ptp4l(const struct settings *s, int clock, struct ptp4l_version v, char *buf, size_t size)
{
	const struct clock_settings *c = &s->clocks[clock];
	struct text t = { .buf = buf, .size = size };

	put(&t, "# Written by timesvcd for the clock %s. Changes are lost.\n", c->name);
	put_global(&t, s, clock, v);
	put(&t, "[%s]\n", c->interface);
	if (c->role == ROLE_REFERENCE)
		put(&t, "masterOnly 1\n");
	put_options(&t, c, 1);
	return t.used < size ? (int)t.used : -EMSGSIZE;
}

char *confgen_ptp4l_path(const struct settings *s, int clock, char *buf, size_t size)
{
	snprintf(buf, size, "%s/ptp4l-%s.conf", s->run_dir, s->clocks[clock].name);
	return buf;
}

char *confgen_ro_socket_path(const struct settings *s, int clock, char *buf, size_t size)
{
	snprintf(buf, size, "%s/ptp4l-%s.ro", s->run_dir, s->clocks[clock].name);
	return buf;
}

char *confgen_mgmt_path(const struct settings *s, int clock, char *buf, size_t size)
{
	snprintf(buf, size, "%s/mgmt-%s.sock", s->run_dir, s->clocks[clock].name);
	return buf;
}
