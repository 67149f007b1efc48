/* children.h: run_dir/children, the memory of which processes are ours across daemons.
 *
 * Written at every start and end of a child, so that it is right however the daemon ends. */
#ifndef TIMESVC_CHILDREN_H
#define TIMESVC_CHILDREN_H

#include <stddef.h>
#include <stdint.h>
#include "err.h"
#include "../ipc.h"
#include "../settings.h"

struct child_record {
	uint16_t kind;		/* enum child_kind */
	char name[NAME_SIZE];	/* of the clock or probe */
	int pid;
	uint64_t start;		/* struct process */
};

#define CHILDREN_MAX (2 * (2 * CLOCKS_MAX + PROBES_MAX))

int children_write(const char *run_dir, const struct child_record *r, size_t count, struct err *e);
/* The ones that still live; how many, 0 when nothing can be read. Another boot's are forgotten. */
size_t children_read(const char *run_dir, struct child_record *r, size_t max);
/* Pure: the file's text. `boot` is this boot's identity. */
size_t children_parse(const char *text, const char *boot, struct child_record *r, size_t max);

#endif
