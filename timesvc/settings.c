#include "settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "conf.h"
#include "io.h"
#include "num.h"
#include "options.h"

#define CONF_SIZE_MAX (1 << 20)

static int set_entry(enum option_section section, void *base, const struct conf *c,
	const struct conf_entry *entry, struct err *e)
{
	const struct option_def *o = option_find(section, entry->key);
	struct err what;

	if (!o)
		return conf_error(c, entry->line, entry->column, e, "key '%s': unknown in [%s]",
			entry->key, option_section_name(section));
	if (option_set(o, base, entry->key, entry->value, &what))
		return conf_error(c, entry->line, entry->value_column, e, "key '%s': %s",
			entry->key, what.msg);
	return 0;
}

static int name_section(char *name, const struct conf *c, const struct conf_section *s, struct err *e)
{
	size_t len = strlen(s->name);

	if (!len)
		return conf_error(c, s->line, s->column, e, "section [%s] needs a name: [%s NAME]",
			s->kind, s->kind);
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s->name[i]) && !strchr(i ? "_.-" : "_", s->name[i]))
			return conf_error(c, s->line, s->column, e, "section name '%s': not a name "
				"(allowed: letters, digits, '_', '.', '-')", s->name);
	if (len >= NAME_SIZE)
		return conf_error(c, s->line, s->column, e,
			"section name '%s': too long (allowed: up to %d characters)", s->name, NAME_SIZE - 1);
	memcpy(name, s->name, len + 1);
	return 0;
}

/* The struct that a section is read into, NULL with *e set. */
static void *place_section(struct settings *s, enum option_section kind, const struct conf *c,
	const struct conf_section *section, struct err *e)
{
	if (kind == SECTION_CLOCK && s->clock_count < CLOCKS_MAX) {
		struct clock_settings *clock = &s->clocks[s->clock_count++];
		return name_section(clock->name, c, section, e) ? NULL : clock;
	}
	if (kind == SECTION_PROBE && s->probe_count < PROBES_MAX) {
		struct probe_settings *probe = &s->probes[s->probe_count++];
		return name_section(probe->name, c, section, e) ? NULL : probe;
	}
	if (kind == SECTION_CLOCK || kind == SECTION_PROBE) {
		conf_error(c, section->line, section->column, e, "too many [%s] sections (allowed: up to %d)",
			section->kind, kind == SECTION_CLOCK ? CLOCKS_MAX : PROBES_MAX);
		return NULL;
	}
	if (*section->name) {
		conf_error(c, section->line, section->column, e, "section [%s] takes no name", section->kind);
		return NULL;
	}
	return kind == SECTION_GLOBAL ? (void *)s : &s->policy;
}

static int read_section(struct settings *s, const struct conf *c, const struct conf_section *section,
	struct err *e)
{
	enum option_section kind;
	void *base;

	if (option_section_find(section->kind, &kind))
		return conf_error(c, section->line, section->column, e,
			"section [%s]: unknown (allowed: global, policy, clock NAME, probe NAME)",
			section->kind);
	base = place_section(s, kind, c, section, e);
	if (!base)
		return -EINVAL;
	if (kind == SECTION_CLOCK || kind == SECTION_PROBE)
		option_presets(kind, base);
	for (size_t i = 0; i < section->count; i++)
		if (set_entry(kind, base, c, &section->entries[i], e))
			return -EINVAL;
	return 0;
}

/* What follows from other keys. A run_dir that is cut here is refused by the check. */
static void derive_clock(struct settings *s, struct clock_settings *c)
{
	int64_t egress = 0, ingress = 0;
	size_t size = sizeof(c->ptp4l_socket);

	for (int i = 0; i < c->ptp4l_count; i++) {
		if (!strcmp(c->ptp4l[i].key, "egressLatency"))
			num_parse_i64(c->ptp4l[i].value, INT32_MIN, INT32_MAX, &egress, NULL);
		else if (!strcmp(c->ptp4l[i].key, "ingressLatency"))
			num_parse_i64(c->ptp4l[i].value, INT32_MIN, INT32_MAX, &ingress, NULL);
	}
	c->served_shift_ns = (egress - ingress) / 2;
	if (c->ptp4l_socket[0])
		return;
	if (c->mode == MODE_ADOPT)
		snprintf(c->ptp4l_socket, size, "/var/run/ptp4l");
	else
		snprintf(c->ptp4l_socket, size, "%.60s/ptp4l-%s.sock", s->run_dir, c->name);
}

static void derive(struct settings *s)
{
	for (int i = 0; i < s->clock_count; i++)
		derive_clock(s, &s->clocks[i]);
	for (int i = 0; i < s->probe_count; i++)
		if (!s->probes[i].clock[0] && s->clock_count)
			memcpy(s->probes[i].clock, s->clocks[0].name, NAME_SIZE);
}

static int read_sections(struct settings *s, const struct conf *c, struct err *e)
{
	for (size_t i = 0; i < c->count; i++)
		if (read_section(s, c, &c->sections[i], e))
			return -EINVAL;
	derive(s);
	return settings_check(s, c, e);
}

int settings_parse(struct settings *s, const char *file, const char *text, unsigned long len,
	struct err *e)
{
	struct conf *c;
	int rc = conf_parse(file, text, len, &c, e);

	if (rc)
		return rc;
	memset(s, 0, sizeof(*s));
	option_presets(SECTION_GLOBAL, s);
	option_presets(SECTION_POLICY, &s->policy);
	rc = read_sections(s, c, e);
	conf_free(c);
	return rc;
}

int settings_load(struct settings *s, const char *path, struct err *e)
{
	char *text;
	size_t len;
	int rc = io_read_file(path, CONF_SIZE_MAX, &text, &len, e);

	if (rc)
		return rc;
	rc = settings_parse(s, path, text, len, e);
	free(text);
	return rc;
}

static int same_fields(enum option_section section, const void *a, const void *b, const char *name,
	struct err *e)
{
	size_t count;
	const struct option_def *o = option_table(&count);

	for (size_t i = 0; i < count; i++) {
		if (o[i].section != section || o[i].live)
			continue;
		if (memcmp((const char *)a + o[i].offset, (const char *)b + o[i].offset, o[i].size))
			return err_set(e, -EINVAL, "key '%s' in [%s%s%s] cannot change while timesvcd runs",
				o[i].key, option_section_name(section), *name ? " " : "", name);
	}
	return 0;
}

int settings_reloadable(const struct settings *now, const struct settings *next, struct err *e)
{
	if (now->clock_count != next->clock_count || now->probe_count != next->probe_count)
		return err_set(e, -EINVAL, "clocks and probes cannot come or go while timesvcd runs");
	if (same_fields(SECTION_GLOBAL, now, next, "", e))
		return -EINVAL;
	for (int i = 0; i < now->clock_count; i++) {
		if (strcmp(now->clocks[i].name, next->clocks[i].name))
			return err_set(e, -EINVAL, "clock '%s' cannot become '%s' while timesvcd runs",
				now->clocks[i].name, next->clocks[i].name);
		if (same_fields(SECTION_CLOCK, &now->clocks[i], &next->clocks[i], now->clocks[i].name, e))
			return -EINVAL;
	}
	for (int i = 0; i < now->probe_count; i++) {
		if (strcmp(now->probes[i].name, next->probes[i].name))
			return err_set(e, -EINVAL, "probe '%s' cannot become '%s' while timesvcd runs",
				now->probes[i].name, next->probes[i].name);
		if (same_fields(SECTION_PROBE, &now->probes[i], &next->probes[i], now->probes[i].name, e))
			return -EINVAL;
	}
	return 0;
}

char *settings_page_path(const struct settings *s, char *buf, unsigned long size)
{
	snprintf(buf, size, "%s/page", s->run_dir);
	return buf;
}

char *settings_segment_path(const struct settings *s, int probe, char *buf, unsigned long size)
{
	snprintf(buf, size, "%s/probe-%s.seg", s->run_dir, s->probes[probe].name);
	return buf;
}
