/* Measures the hot paths in one process and one run, prints a table, and writes bench.json. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

void figures_add(struct figures *f, const char *name, double value, const char *unit, const char *over)
{
	if (f->count < FIGURES_MAX)
		f->figure[f->count++] = (struct figure){ name, unit, over, value };
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double quantile(double *v, size_t n, double part)
{
	size_t i = (size_t)(part * (double)n);

	qsort(v, n, sizeof(v[0]), compare);
	return v[i < n ? i : n - 1];
}

static void print_table(const struct figures *f)
{
	for (int i = 0; i < f->count; i++) {
		const struct figure *g = &f->figure[i];

		printf("%-32s %14.6g %s%s%s\n", g->name, g->value, g->unit,
			g->over ? ", over " : "", g->over ? g->over : "");
	}
}

static int write_json(const struct figures *f, const char *path)
{
	FILE *out = fopen(path, "w");

	if (out == NULL)
		return -1;
	for (int i = 0; i < f->count; i++) {
		const struct figure *g = &f->figure[i];

		fprintf(out, "%s{\"name\":\"%s\",\"value\":%.9g,\"unit\":\"%s\"", i ? ",\n" : "[",
			g->name, g->value, g->unit);
		if (g->over)
			fprintf(out, ",\"over\":\"%s\"", g->over);
		fputc('}', out);
	}
	fputs("]\n", out);
	return fclose(out);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "bench.json";
	struct figures f = { .count = 0 };
	int failed = bench_reader(&f) < 0;

#ifdef HAVE_PROBE
	failed |= bench_sample(&f) < 0;
#endif
	failed |= bench_sim(&f) < 0;
	print_table(&f);
	if (write_json(&f, path) != 0) {
		perror(path);
		return 1;
	}
	return failed;
}
