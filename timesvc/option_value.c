#include "option_value.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "num.h"
#include "options.h"
#include "settings.h"

static char *format_ppb(char *buf, size_t size, int64_t ppb)
{
	if (ppb % 1000 == 0 && ppb)
		snprintf(buf, size, "%lldppm", (long long)ppb / 1000);
	else
		snprintf(buf, size, "%lldppb", (long long)ppb);
	return buf;
}

static char *format_number(const struct option_def *o, char *buf, size_t size, int64_t v)
{
	if (o->type == OPTION_DURATION)
		return num_format_duration(buf, size, v);
	if (o->type == OPTION_PPB)
		return format_ppb(buf, size, v);
	snprintf(buf, size, "%lld", (long long)v);
	return buf;
}

static void format_words(const struct option_def *o, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; o->words[i] && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? "|" : "", o->words[i]);
}

char *option_range(const struct option_def *o, char *buf, size_t size)
{
	char low[32], high[32];

	switch (o->type) {
	case OPTION_WORD:
	case OPTION_CHOICE:
		format_words(o, buf, size);
		break;
	case OPTION_INT:
	case OPTION_INT64:
	case OPTION_DURATION:
	case OPTION_PPB:
		snprintf(buf, size, "%s to %s%s", format_number(o, low, sizeof(low), o->min),
			format_number(o, high, sizeof(high), o->max), o->optional ? ", or none" : "");
		break;
	case OPTION_BOOL:
		snprintf(buf, size, "yes|no");
		break;
	default:
		snprintf(buf, size, "-");
	}
	return buf;
}

static int refuse(const struct option_def *o, const char *value, const char *what, struct err *e)
{
	char range[128];

	option_range(o, range, sizeof(range));
	return err_set(e, -EINVAL, "'%s' %s (allowed: %s)", value, what, range);
}

static int set_text(const struct option_def *o, char *field, const char *value, struct err *e)
{
	if (strlen(value) >= o->size)
		return err_set(e, -EINVAL, "too long (allowed: up to %zu characters)", o->size - 1);
	memset(field, 0, o->size);
	memcpy(field, value, strlen(value));
	return 0;
}

static int set_name(const struct option_def *o, char *field, const char *value, struct err *e)
{
	for (const char *p = value; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_.-", *p))
			return err_set(e, -EINVAL,
				"'%s' is not a name (allowed: letters, digits, '_', '.', '-')", value);
	return set_text(o, field, value, e);
}

static int set_path(const struct option_def *o, char *field, const char *value, struct err *e)
{
	if (value[0] != '/')
		return err_set(e, -EINVAL, "'%s' is not an absolute path (allowed: /…)", value);
	return set_text(o, field, value, e);
}

static int set_address(const struct option_def *o, char *field, const char *value, struct err *e)
{
	struct in6_addr addr;

	if (inet_pton(AF_INET, value, &addr) != 1 &&
	    (o->type == OPTION_IPV4 || inet_pton(AF_INET6, value, &addr) != 1))
		return err_set(e, -EINVAL, "'%s' is not an address (allowed: %s)", value,
			o->type == OPTION_IPV4 ? "IPv4" : "IPv4 or IPv6");
	return set_text(o, field, value, e);
}

static int find_word(const struct option_def *o, const char *value, struct err *e)
{
	for (int i = 0; o->words[i]; i++)
		if (!strcmp(o->words[i], value))
			return i;
	return refuse(o, value, "is not known", e);
}

static int parse_number(const struct option_def *o, const char *value, int64_t *out, struct err *e)
{
	int rc;

	if (o->optional && !strcmp(value, "none")) {
		*out = -1;
		return 0;
	}
	if (o->type == OPTION_DURATION)
		rc = num_parse_duration_ns(value, o->min, o->max, out, NULL);
	else if (o->type == OPTION_PPB)
		rc = num_parse_ppb(value, o->min, o->max, out, NULL);
	else
		rc = num_parse_i64(value, o->min, o->max, out, NULL);
	if (!rc)
		return 0;
	if (rc == -ERANGE)
		return refuse(o, value, "is out of range", e);
	if (o->type == OPTION_DURATION)
		return refuse(o, value, "is not a duration with a unit", e);
	if (o->type == OPTION_PPB)
		return refuse(o, value, "is not a rate in ppb or ppm", e);
	return refuse(o, value, "is not a whole number", e);
}

static int set_number(const struct option_def *o, void *field, const char *value, struct err *e)
{
	int64_t v;
	int rc = parse_number(o, value, &v, e);

	if (rc)
		return rc;
	if (o->type == OPTION_INT)
		*(int *)field = (int)v;
	else
		*(int64_t *)field = v;
	return 0;
}

static int set_choice(const struct option_def *o, void *field, const char *value, struct err *e)
{
	int i = find_word(o, value, e);

	if (i < 0)
		return i;
	if (o->type == OPTION_WORD)
		return set_text(o, field, value, e);
	*(int *)field = i;
	return 0;
}

int option_set(const struct option_def *o, void *base, const char *key, const char *value, struct err *e)
{
	void *field = (char *)base + o->offset;

	switch (o->type) {
	case OPTION_TEXT:
		return set_text(o, field, value, e);
	case OPTION_NAME:
		return set_name(o, field, value, e);
	case OPTION_PATH:
		return set_path(o, field, value, e);
	case OPTION_ADDRESS:
	case OPTION_IPV4:
		return set_address(o, field, value, e);
	case OPTION_WORD:
	case OPTION_CHOICE:
		return set_choice(o, field, value, e);
	case OPTION_BOOL:
		return num_parse_bool(value, field, NULL) ? refuse(o, value, "is neither", e) : 0;
	case OPTION_PTP4L:
		return option_set_ptp4l(base, key, value, e);
	default:
		return set_number(o, field, value, e);
	}
}

/* What the generated ptp4l.conf says already, and the key of ours that decides it. */
static const struct { const char *key, *ours; } generated[] = {
	{ "uds_address", "ptp4l_socket" }, { "uds_ro_address", "ptp4l_socket" },
	{ "free_running", "mode" }, { "time_stamping", "time_stamping" },
	{ "network_transport", "transport" }, { "domainNumber", "domain" },
	{ "transportSpecific", "transport_specific" },
	{ "slaveOnly", "role" }, { "clientOnly", "role" },
	{ "masterOnly", "role" }, { "serverOnly", "role" },
	{ "verbose", "log_level" }, { "use_syslog", "log_level" },
};

static int check_ptp4l_key(const char *name, struct err *e)
{
	for (size_t i = 0; i < sizeof(generated) / sizeof(generated[0]); i++)
		if (!strcmp(name, generated[i].key))
			return err_set(e, -EINVAL, "generated by timesvc; use the key '%s'",
				generated[i].ours);
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return err_set(e, -EINVAL, "not the name of a ptp4l option");
	return *name ? 0 : err_set(e, -EINVAL, "the name of the ptp4l option is missing");
}

int option_set_ptp4l(struct clock_settings *c, const char *key, const char *value, struct err *e)
{
	const char *name = key + strlen("ptp4l.");
	struct ptp4l_option *o = &c->ptp4l[c->ptp4l_count];
	int rc = check_ptp4l_key(name, e);

	if (rc)
		return rc;
	if (c->ptp4l_count == PTP4L_OPTIONS_MAX)
		return err_set(e, -EINVAL, "too many ptp4l options (allowed: up to %d)", PTP4L_OPTIONS_MAX);
	if (strlen(name) >= sizeof(o->key) || strlen(value) >= sizeof(o->value))
		return err_set(e, -EINVAL, "too long (allowed: up to %zu characters)", sizeof(o->value) - 1);
	strcpy(o->key, name);
	strcpy(o->value, value);
	c->ptp4l_count++;
	return 0;
}
