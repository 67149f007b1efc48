/* bench.h: figures of one run, and what the parts of the bench share. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include <stddef.h>
#include <stdint.h>

#define FIGURES_MAX 32

struct figure {
	const char *name, *unit;
	const char *over;	/* of a ratio: what it was paired with in the same run; else NULL */
	double value;
};

struct figures {
	struct figure figure[FIGURES_MAX];
	int count;
};

void figures_add(struct figures *f, const char *name, double value, const char *unit, const char *over);

/* Sorts in place. `part` of 0.5 is the median. */
double quantile(double *v, size_t n, double part);

/* Each part adds its figures: 0 or -errno, told on stderr. */
int bench_reader(struct figures *f);
int bench_sample(struct figures *f);
int bench_sim(struct figures *f);

#endif
