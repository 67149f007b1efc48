#include "show.h"

#include <inttypes.h>
#include <string.h>
#include "text.h"

#define EVENTS_SHOWN 8

static char *end_text(char *buf, const json_t *ev, const char *state, const char *alarm)
{
	snprintf(buf, TEXT_CELL, "%s%s", text_get(ev, state),
		json_is_true(json_object_get(ev, alarm)) ? " ALARM" : "");
	return buf;
}

static void put_event(FILE *out, const json_t *ev)
{
	char when[TEXT_CELL], from[TEXT_CELL], to[TEXT_CELL];
	const json_t *reason;
	struct text_line l;
	int64_t ns = 0;
	size_t i;

	text_ns(ev, "t_ns", &ns);
	end_text(from, ev, "from", "alarm_from");
	end_text(to, ev, "to", "alarm_to");
	text_begin(&l, out, 4, "  ");
	text_instant(when, ns);
	if (strcmp(from, to))
		text_item(&l, "%s %s: %s -> %s", when, text_get(ev, "clock"), from, to);
	else
		text_item(&l, "%s %s: %s, epoch %" PRIu64, when, text_get(ev, "clock"), to,
			text_count(ev, "epoch"));
	json_array_foreach(json_object_get(ev, "reasons"), i, reason)
		text_item(&l, "%s", json_string_value(reason));
	json_array_foreach(json_object_get(ev, "ended"), i, reason)
		text_item(&l, "no more %s", json_string_value(reason));
	text_end(&l);
}

void show_events(FILE *out, const json_t *status, const struct show_style *style)
{
	const json_t *events = json_object_get(status, "events");
	size_t count = json_array_size(events);
	size_t first = count > EVENTS_SHOWN ? count - EVENTS_SHOWN : 0;

	(void)style;
	if (!count)
		return;
	fprintf(out, "\nEVENTS, the last %zu of %zu\n", count - first, count);
	for (size_t i = first; i < count; i++)
		put_event(out, json_array_get(events, i));
}
