/* clockmap.h: a device clock as a line over the host's counter, with a bound. Pure.
 *
 * It is fed readings of the device clock, each taken between two reads of the counter. Such a bracket
 * proves where the device clock stood, whatever happened inside it: half its width is kept in the
 * bound, as a residual would not show what is asymmetric. The line is a centred least squares fit over
 * the longest run of readings that lie on one line within their widths.
 *
 * Bound of a stamp = half width + residual of the best reading + rate error x distance + resolution.
 * The rate error is what the ends of the window allow, and the wander that the oscillators may show.
 *
 * Epochs: a step, a reset or a change of rate starts a new one; a reading that the line cannot explain
 * holds all stamps back until the next one says which of the two it was: a torn read or a step. */
#ifndef PROBE_CLOCKMAP_H
#define PROBE_CLOCKMAP_H

#include "port.h"

#define CLOCKMAP_READINGS 64

/*    name		sentence */
#define CLOCKMAP_REASONS(X) \
	X(wide,		"the reads around it were too far apart") \
	X(torn,		"it lay on no line with the readings before and after it") \
	X(backwards,	"the counter stood before the last reading") \
	X(step,		"the device clock was stepped or reset") \
	X(rate,		"the device clock changed its rate") \
	X(frozen,	"the device clock stood still")

#define CLOCKMAP_ENUM(name, text) CLOCKMAP_##name,
enum clockmap_reason { CLOCKMAP_REASONS(CLOCKMAP_ENUM) CLOCKMAP_REASON_COUNT, CLOCKMAP_USED = -1 };
#undef CLOCKMAP_ENUM
/* NULL for what is no reason. */
const char *clockmap_reason_name(int reason);
const char *clockmap_reason_text(int reason);

struct clockmap_config {
	double ns_per_tick;	/* of the counter, nominal: within 1000 ppm */
	int64_t resolution_ns;	/* of a stamp */
	double wander_ppb;	/* what the rate may change within a window and before the next reading */
};

/* All zero, but for the config, to begin with: clockmap_init(). */
struct clockmap {
	struct clockmap_config config;
	uint32_t epoch;
	int count;
	struct port_clock_reading reading[CLOCKMAP_READINGS];	/* oldest first */
	int has_suspect;
	struct port_clock_reading suspect;
	int window;		/* how many of the newest the line rests on; 0: there is no line */
	uint64_t tick0;		/* the line at nic0_ns, the newest reading */
	int64_t nic0_ns;
	double rest;		/* fraction of a tick beside tick0 */
	double slope;		/* ticks for each ns of the device clock */
	double base_ticks;	/* the bound at nic0_ns, without the resolution */
	double rate_error;	/* fraction */
	uint64_t readings, noted[CLOCKMAP_REASON_COUNT];
};

/* An instant of the device clock on the host's counter. */
struct clockmap_point {
	uint64_t tick;
	int64_t half_ns;	/* the instant is within this much of the tick */
	uint32_t epoch;
};

void clockmap_init(struct clockmap *m, const struct clockmap_config *config);
/* Takes one reading, the narrowest of a few. Returns why it is not used, or what it revealed; or
 * CLOCKMAP_USED. */
int clockmap_add(struct clockmap *m, const struct port_clock_reading *r);
/* The port was restarted: what is known of its clock is void. */
void clockmap_restart(struct clockmap *m);

/* There is a line, and nothing casts doubt on it. */
int clockmap_ready(const struct clockmap *m);
/* 0, or -EAGAIN while !clockmap_ready(). */
int clockmap_point(const struct clockmap *m, int64_t nic_ns, struct clockmap_point *out);
/* What the device clock says at a tick, the nearest ns. -EAGAIN while there is no line at all; while there
 * is doubt, the last line's word. */
int clockmap_predict(const struct clockmap *m, uint64_t tick, int64_t *nic_ns);
/* From one instant of the device clock to another, in ticks. What the rate error makes of it is
 * |to - from| * rate_error. 0 while there is no line. */
double clockmap_span_ticks(const struct clockmap *m, int64_t from_ns, int64_t to_ns);

#endif
