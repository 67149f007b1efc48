#include "timesvc/journal.h"

#include <errno.h>

#include "log.h"
#include "num.h"
#include "reason.h"
#include "timesvc.h"

static void log_event(const struct trust_event *ev, const char *clock)
{
	char reasons[256], offset[24] = "unknown", bound[24] = "none";
	int rise = ev->to == TSV_TRUSTED && ev->alarm_to <= ev->alarm_from;

	tsv_reasons_format(reasons, sizeof(reasons), ev->reasons ? ev->reasons : ev->ended);
	if (ev->offset_ns != INT64_MIN)
		num_format_ns(offset, sizeof(offset), ev->offset_ns);
	if (ev->bound_ns >= 0)
		num_format_ns(bound, sizeof(bound), ev->bound_ns);
	(rise || ev->to == TSV_SETTLING ? log_info : log_warn)(
		"clock %s: %s%s -> %s%s, epoch %u, offset %s, bound %s%s%s", clock,
		tsv_state_name(ev->from), ev->alarm_from ? "+ALARM" : "",
		tsv_state_name(ev->to), ev->alarm_to ? "+ALARM" : "", ev->epoch, offset, bound,
		ev->reasons ? ": " : ev->ended ? ": no more " : "", reasons);
}

void journal_add(struct journal *j, struct trust_event *ev, const char *clock)
{
	ev->number = ++j->numbered;
	log_event(ev, clock);
	if (j->count == JOURNAL_SIZE) {
		j->first = (j->first + 1) % JOURNAL_SIZE;
		j->count--;
	}
	j->event[(j->first + j->count++) % JOURNAL_SIZE] = *ev;
}

int journal_hand_over(struct journal *j, int fd, struct snapshot *s)
{
	unsigned n = j->count < SNAPSHOT_EVENTS ? j->count : SNAPSHOT_EVENTS;
	int r = -ENOTCONN;

	for (unsigned i = 0; i < n; i++)
		s->event[i] = j->event[(j->first + i) % JOURNAL_SIZE];
	s->events = n;
	s->number = j->sent + j->dropped + 1;
	s->dropped = j->dropped;
	if (fd >= 0)
		r = ipc_send(fd, s, sizeof(*s), -1);
	if (r < 0) {
		j->dropped++;
		return r;
	}
	j->sent++;
	j->first = (j->first + n) % JOURNAL_SIZE;
	j->count -= n;
	return 0;
}
