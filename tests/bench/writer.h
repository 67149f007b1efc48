/* writer.h: a process of its own that publishes a trust page at a steady pace. */
#ifndef TESTS_BENCH_WRITER_H
#define TESTS_BENCH_WRITER_H

#include <stdint.h>
#include <sys/types.h>

#define BENCH_CLOCK "bench"

/* Publishes every period_ns; 0: without a pause. The page is live when this returns. */
pid_t writer_start(const char *path, double ns_per_tick, int64_t period_ns);
void writer_stop(pid_t pid);

#endif
