/* Whatever run_dir/children holds, no record of it names a process that must not be touched. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "timesvc/monitor/children.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct child_record r[4];
	char *text = malloc(size + 1);
	size_t count;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	count = children_parse(text, "b", r, 4);
	if (count > 4)
		abort();
	for (size_t i = 0; i < count; i++)
		if (r[i].pid <= 1 || r[i].kind > CHILD_PROBE || !memchr(r[i].name, 0, NAME_SIZE))
			abort();
	free(text);
	return 0;
}
