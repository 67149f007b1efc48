/* options.h: the one table of what timesvc.conf may say.
 *
 * It drives parsing, defaults, ranges, what a reload may change, and `--list-options`.
 * Keys that begin with "ptp4l." go into the generated ptp4l.conf as they are. */
#ifndef TIMESVC_OPTIONS_H
#define TIMESVC_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "err.h"

enum option_section { SECTION_GLOBAL, SECTION_POLICY, SECTION_CLOCK, SECTION_PROBE, SECTION_COUNT };

enum option_type {
	OPTION_TEXT, OPTION_NAME, OPTION_PATH, OPTION_ADDRESS, OPTION_IPV4,
	OPTION_WORD,		/* one of words[], kept as text */
	OPTION_CHOICE,		/* one of words[], kept as its index */
	OPTION_INT, OPTION_INT64, OPTION_BOOL, OPTION_DURATION, OPTION_PPB,
	OPTION_PTP4L
};

struct option_def {
	enum option_section section;
	const char *key;
	enum option_type type;
	const char *preset;		/* as it would stand in the file; NULL: there is none */
	int64_t min, max;		/* of numbers */
	const char *const *words;	/* NULL-terminated */
	int optional;			/* numbers: "none" is allowed and kept as -1 */
	int live;			/* may change on reload */
	size_t offset, size;		/* in the struct of the section */
	const char *help;
};

/* "global" "policy" "clock" "probe" */
const char *option_section_name(enum option_section section);
/* -EINVAL for a kind that is none. */
int option_section_find(const char *kind, enum option_section *section);

const struct option_def *option_table(size_t *count);
/* NULL: no such key. */
const struct option_def *option_find(enum option_section section, const char *key);

/* Sets one field of the section's struct (struct settings for global). The sentence names what is
 * allowed, not the key or the place. -EINVAL; the field is untouched then. */
int option_set(const struct option_def *o, void *base, const char *key, const char *value, struct err *e);
void option_presets(enum option_section section, void *base);

/* "100ns to 100ms", "observe|steer|adopt", "-" where anything goes. Returns buf. */
char *option_range(const struct option_def *o, char *buf, size_t size);
/* One line per option: section key type default range live help, separated by tabs. */
void option_list(FILE *out);

#endif
