#include "slices.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

int slices_log_open(FILE **log, const char *path, struct err *e)
{
	*log = fopen(path, "we");
	if (!*log)
		return err_set(e, -errno, "%s cannot be written: %s", path, strerror(errno));
	return 0;
}

void slices_log_write(void *arg, const struct gate_slice_result *r)
{
	FILE *log = arg;

	fprintf(log, "{\"start_ns\":\"%" PRId64 "\",\"end_ns\":\"%" PRId64 "\",\"near_epoch\":%" PRIu32
		",\"far_epoch\":%" PRIu32 ",\"count\":%" PRIu64 ",\"verdict\":\"%s\"",
		r->start_ns, r->end_ns, r->near_epoch, r->far_epoch, r->count,
		gate_reason_name(r->verdict));
	fprintf(log, ",\"waited_holdover\":%s,\"bound_ns\":%" PRId64 ",\"ab_p50_ns\":%" PRId64
		",\"ba_p50_ns\":%" PRId64 "}\n",
		r->waited_holdover ? "true" : "false", r->bound_ns, r->ab_p50_ns, r->ba_p50_ns);
}

int slices_log_close(FILE *log, struct err *e)
{
	int failed;

	if (!log)
		return 0;
	failed = ferror(log);
	failed |= fclose(log) != 0;
	return failed ? err_set(e, -EIO, "the slice log could not be written whole") : 0;
}
