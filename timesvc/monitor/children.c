#include "children.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io.h"
#include "process.h"

#define BOOT_SIZE 40

static const char *const kinds[] = { "ptp4l", "phc2sys", "probe" };

static void boot_id(char *buf)
{
	char *text;
	size_t len;

	snprintf(buf, BOOT_SIZE, "unknown");
	if (io_read_file("/proc/sys/kernel/random/boot_id", 256, &text, &len, NULL))
		return;
	snprintf(buf, BOOT_SIZE, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

static char *file_path(const char *run_dir, char *buf, size_t size)
{
	snprintf(buf, size, "%s/children", run_dir);
	return buf;
}

int children_write(const char *run_dir, const struct child_record *r, size_t count, struct err *e)
{
	char path[PATH_SIZE + 16], boot[BOOT_SIZE], text[BOOT_SIZE + CHILDREN_MAX * (NAME_SIZE + 48)];
	size_t used;

	boot_id(boot);
	used = (size_t)snprintf(text, sizeof(text), "boot %s\n", boot);
	for (size_t i = 0; i < count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s %d %llu\n",
			kinds[r[i].kind], r[i].name, r[i].pid, (unsigned long long)r[i].start);
	return io_write_file(file_path(run_dir, path, sizeof(path)), text, used, 0644, e);
}

static int parse_line(const char *line, struct child_record *r)
{
	char kind[16];
	unsigned long long start;

	memset(r, 0, sizeof(*r));
	if (sscanf(line, "%15s %31s %d %llu", kind, r->name, &r->pid, &start) != 4 || r->pid <= 1)
		return 0;
	r->start = start;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(kind, kinds[i])) {
			r->kind = (uint16_t)i;
			return 1;
		}
	}
	return 0;
}

size_t children_parse(const char *text, const char *boot, struct child_record *r, size_t max)
{
	char head[BOOT_SIZE];
	size_t count = 0;

	if (sscanf(text, "boot %39s", head) != 1 || strcmp(head, boot))
		return 0;
	for (const char *line = strchr(text, '\n'); line && count < max; line = strchr(line + 1, '\n'))
		if (parse_line(line + 1, &r[count]))
			count++;
	return count;
}

size_t children_read(const char *run_dir, struct child_record *r, size_t max)
{
	char path[PATH_SIZE + 16], boot[BOOT_SIZE], *text;
	size_t len, count, alive = 0;

	if (io_read_file(file_path(run_dir, path, sizeof(path)), 65536, &text, &len, NULL))
		return 0;
	boot_id(boot);
	count = children_parse(text, boot, r, max);
	free(text);
	for (size_t i = 0; i < count; i++) {
		uint64_t start;

		if (!process_start_time(r[i].pid, &start) && start == r[i].start)
			r[alive++] = r[i];
	}
	return alive;
}
