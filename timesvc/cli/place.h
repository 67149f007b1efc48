/* place.h: where the daemon's page and its HTTP server are: from the command line, then the
 * environment, then the configuration, then the defaults. */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include "cli.h"
#include "err.h"
#include "get.h"
#include "../settings.h"

struct place {
	struct url url;
	int has_http;			/* 0: the configuration serves none */
	char page[PATH_SIZE + 8];
	char names[CLOCKS_MAX][NAME_SIZE];
	int names_count;		/* 0: there was no configuration to name the clocks */
};

/* -EINVAL for a configuration or URL that is wrong, -errno for a -f file that cannot be read. */
int place_find(struct place *p, const struct cli *c, struct err *e);

#endif
