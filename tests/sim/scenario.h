/* scenario.h: what the scenarios in virtual time promise, each over SEEDS seeds.
 *
 * In every step of every run the true error stays within the published bound while TRUSTED (ALARM
 * included) or HOLDOVER, and time never runs backwards within an epoch. A step of the grandmaster cannot
 * be seen before its next Sync: the time from such a fault to the third Sync that carries it is left out
 * of the bound check, and limited in itself. */
#ifndef TESTS_SCENARIO_H
#define TESTS_SCENARIO_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "nstime.h"
#include "reason.h"
#include "tests/sim/world.h"

#define SEEDS	24
#define S	NS_PER_S
#define MS	NS_PER_MS
#define US	NS_PER_US

#define FOR_EACH_SEED for (uint64_t seed = 1; seed <= SEEDS; seed++)

extern struct world w;
extern uint64_t total_checks;

/* Starts, runs for a while, and forgets what was seen meanwhile. */
void settle(int64_t span);
/* No step beyond the bound, none backwards. */
void expect_sound(const char *what);
/* Sound, and TRUSTED for at least 95 % of the time. */
void expect_clean(const char *what);
int saw(enum tsv_state state);
/* A step of the grandmaster: blind until three Syncs carry it and have been polled. */
void shift_grandmaster(int64_t ns);

#endif
