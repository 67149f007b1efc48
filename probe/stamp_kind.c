#include "port.h"

#include <stddef.h>

const char *stamp_kind_name(enum stamp_kind kind)
{
	switch (kind) {
	case STAMP_NONE:
		return "none";
	case STAMP_SOFTWARE:
		return "software";
	case STAMP_HARDWARE:
		return "hardware";
	}
	return NULL;
}
