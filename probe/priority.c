#define _GNU_SOURCE 1	/* sched_getaffinity(), SCHED_RESET_ON_FORK */
#include "priority.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include "log.h"
#include "nstime.h"

static int cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

void priority_raise(struct priority *p, int64_t now_ns)
{
	struct sched_param param = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };

	p->since_ns = now_ns;
	p->slept_ns = 0;
	if (cpus() < 2)
		return;
	p->raised = !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
	if (!p->raised)
		log_info("no real-time priority (%s): other programs will delay the stamps", strerror(errno));
}

static void lower(struct priority *p)
{
	struct sched_param param = { 0 };

	p->raised = 0;
	sched_setscheduler(0, SCHED_OTHER, &param);
	log_info("polling takes more than half of a CPU: real-time priority given back");
}

void priority_note(struct priority *p, int64_t now_ns, int64_t slept_ns)
{
	int64_t passed_ns = now_ns - p->since_ns;

	p->slept_ns += slept_ns;
	if (!p->raised || passed_ns < NS_PER_S)
		return;
	if (p->slept_ns < passed_ns / 2)
		lower(p);
	p->since_ns = now_ns;
	p->slept_ns = 0;
}
