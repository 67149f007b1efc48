#include "tests/sim/scenario.h"

struct world w;
uint64_t total_checks;

void settle(int64_t span)
{
	world_start(&w);
	world_run(&w, span);
	world_mark(&w);
}

void expect_sound(const char *what)
{
	total_checks += w.checks;
	if (w.violations || w.backwards)
		print_message("# %s: %llu of %llu checks beyond the bound (worst by %lld ns), "
			"%llu backwards\n", what,
			(unsigned long long)w.violations, (unsigned long long)w.checks,
			(long long)w.worst_excess, (unsigned long long)w.backwards);
	assert_true(w.checks > 0);
	assert_int_equal(w.violations, 0);
	assert_int_equal(w.backwards, 0);
}

void expect_clean(const char *what)
{
	if (w.trusted_steps * 100 < w.steps * 95)
		print_message("# %s: TRUSTED in %llu of %llu steps\n", what,
			(unsigned long long)w.trusted_steps, (unsigned long long)w.steps);
	assert_true(w.trusted_steps * 100 >= w.steps * 95);
	assert_int_equal(w.states_seen & 1u << TSV_LOCAL_RTT, 0);
	expect_sound(what);
}

int saw(enum tsv_state state)
{
	return w.states_seen >> state & 1;
}

void shift_grandmaster(int64_t ns)
{
	w.gm_shift += ns;
	w.blind_from = w.now;
	w.blind_until = w.now + 3 * nstime_log_interval(w.log_sync) + 300 * MS;
}
