/* hwclock_note.h: what the test of a port's stamps found, for the report and the log. */
#ifndef PROBE_HWCLOCK_NOTE_H
#define PROBE_HWCLOCK_NOTE_H

#include "hwclock.h"
#include "segment.h"

/* As it stands, of what travels by one carrier. */
void hwclock_note(const struct hwclock *h, enum carrier carrier, struct probe_numbers *n);
/* One line in the log: for when the test is over. */
void hwclock_tell(const struct hwclock *h, enum carrier carrier);

#endif
