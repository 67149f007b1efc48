/* Any text is either settings within their ranges, from which every file and command line can be
 * made, or refused with a place. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timesvc/monitor/confgen.h"
#include "timesvc/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_children(const struct settings *s, enum child_kind kind, int count)
{
	struct command c;

	for (int i = 0; i < count; i++) {
		struct child_id id = { .kind = (uint16_t)kind, .index = (uint16_t)i };

		if (confgen_wants(s, id))
			require(confgen_command(s, id, &c) == 0 && c.argc > 1);
	}
}

static void check_good(const struct settings *s)
{
	const struct ptp4l_version v = { 4, 2 };
	char text[CONFGEN_TEXT_MAX];
	struct err e;

	require(s->clock_count >= 1 && s->clock_count <= CLOCKS_MAX);
	require(s->policy.alarm_clear_ns < s->policy.alarm_offset_ns);
	require(s->policy.recover_bound_ns <= s->policy.fallback_bound_ns);
	require(settings_reloadable(s, s, &e) == 0);
	for (int i = 0; i < s->clock_count; i++)
		require(confgen_ptp4l(s, i, v, text, sizeof(text)) > 0);
	check_children(s, CHILD_PTP4L, s->clock_count);
	check_children(s, CHILD_PHC2SYS, s->clock_count);
	check_children(s, CHILD_PROBE, s->probe_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct settings s;
	struct err e = { 0 };
	int line, column, used = 0;

	if (settings_parse(&s, "input", (const char *)data, size, &e) == 0) {
		check_good(&s);
		return 0;
	}
	require(sscanf(e.msg, "input:%d:%d: %n", &line, &column, &used) == 2 && used > 0);
	require(line >= 1 && column >= 1 && e.msg[used]);
	return 0;
}
