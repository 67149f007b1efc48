/* show.h: the status object for people. Pure: JSON in, lines out, at most 80 columns. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <jansson.h>
#include <stdio.h>

struct show_style { int colour; };

/* A terminal that is not dumb, and no $NO_COLOR. */
int show_may_colour(int fd);

/* The whole table. */
void show_status(FILE *out, const json_t *status, const struct show_style *style);
/* The same for a terminal whose cursor is in its upper left corner: what stood there goes. */
void show_screen(FILE *out, const json_t *status, const struct show_style *style);
/* One line per clock and probe. */
void show_lines(FILE *out, const json_t *status);

/* The parts. */
void show_probes(FILE *out, const json_t *status, const struct show_style *style);
void show_events(FILE *out, const json_t *status, const struct show_style *style);

#endif
