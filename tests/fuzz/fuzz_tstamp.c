/* Control messages of a packet socket. Nothing outside them is read, and what is there makes sense. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/kernel_cmsg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *control = malloc(size ? size : 1);	/* aligned, and no longer than it is */
	struct kernel_note n;

	if (!control)
		return 0;
	if (size)
		memcpy(control, data, size);
	kernel_cmsg_parse(control, size, &n);
	assert(!n.has_software || n.software_ns > 0);
	assert(!n.has_hardware || n.hardware_ns > 0);
	assert(n.has_tag || !n.tag);
	assert(n.has_id || !n.id);
	free(control);
	return 0;
}
