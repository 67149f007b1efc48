/* Feeds a fuzz target what is kept of its inputs, so that `make check` runs it with any
 * compiler: replay_X reads tests/fuzz/corpus/X and hands over each file whole, cut at every
 * length, and with bits flipped. Speaks TAP. $TIMESVC_SEED repeats another run. */
#include <dirent.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"
#include "../unit/rng.h"

#define FILE_MAX	(256 * 1024)
#define FLIPPED_COPIES	200
#define CUTS_MAX	4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each input is a block of its own, so that the sanitizers see a read past its end. */
static void feed(const void *data, size_t size)
{
	uint8_t *copy = malloc(size);

	if (size && !copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void feed_cut(const char *data, size_t size)
{
	size_t step = size / CUTS_MAX + 1;

	for (size_t n = 0; n <= size; n += step)
		feed(data, n);
}

static void feed_flipped(char *data, size_t size, struct rng *rng)
{
	for (int i = 0; size && i < FLIPPED_COPIES; i++) {
		size_t at[8], flips = 1 + rng_below(rng, 8);
		char mask[8];

		for (size_t f = 0; f < flips; f++) {
			at[f] = rng_below(rng, size);
			mask[f] = (char)(1 << rng_below(rng, 8));
			data[at[f]] ^= mask[f];
		}
		feed(data, size);
		while (flips-- > 0)
			data[at[flips]] ^= mask[flips];
	}
}

static int replay(const char *path, struct rng *rng)
{
	char *data;
	size_t size;
	struct err e;

	if (io_read_file(path, FILE_MAX, &data, &size, &e)) {
		printf("# %s\n", e.msg);
		return -1;
	}
	feed(data, size);
	feed_cut(data, size);
	feed_flipped(data, size, rng);
	free(data);
	return 0;
}

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* "…/replay_conf", or libtool's "…/lt-replay_conf" -> "conf". */
static const char *target_name(const char *program)
{
	const char *name = strstr(program, "replay_"), *next;

	while (name && (next = strstr(name + 1, "replay_")))
		name = next;
	return name ? name + strlen("replay_") : "";
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir"), *name = target_name(argv[0]);
	char dir[2048], path[4096];
	struct rng rng = rng_seeded();
	struct dirent **files;
	int n, failed = 0;

	(void)argc;
	snprintf(dir, sizeof(dir), "%s/tests/fuzz/corpus/%s", top ? top : ".", name);
	n = scandir(dir, &files, is_visible, alphasort);
	if (n <= 0) {
		printf("Bail out! no corpus in %s\n", dir);
		return 1;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		fflush(stdout);
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]->d_name);
		int bad = replay(path, &rng);

		printf("%s %d - %s/%s\n", bad ? "not ok" : "ok", i + 1, name, files[i]->d_name);
		failed |= bad;
		free(files[i]);
	}
	free(files);
	return failed ? 1 : 0;
}
