/* confgen.h: settings in, ptp4l.conf and command lines out. Pure. */
#ifndef TIMESVC_CONFGEN_H
#define TIMESVC_CONFGEN_H

#include <stddef.h>
#include "../ipc.h"
#include "../settings.h"

#define CONFGEN_TEXT_MAX 16384
#define COMMAND_ARGS_MAX 96

/* Major and minor of the ptp4l that will read it; 4.0 and later have a read-only socket. */
struct ptp4l_version { int major, minor; };

/* A NULL-terminated argv whose strings lie in text. */
struct command {
	char *argv[COMMAND_ARGS_MAX + 1];
	int argc;
	char text[4096];
	size_t used;
	int overflow;
};

/* Returns the length, or -EMSGSIZE. */
int confgen_ptp4l(const struct settings *s, int clock, struct ptp4l_version v, char *buf, size_t size);

/* Paths; each returns buf. */
char *confgen_ptp4l_path(const struct settings *s, int clock, char *buf, size_t size);
char *confgen_ro_socket_path(const struct settings *s, int clock, char *buf, size_t size);
char *confgen_mgmt_path(const struct settings *s, int clock, char *buf, size_t size);

/* Which children the settings ask for. */
int confgen_wants(const struct settings *s, struct child_id id);
/* "ptp4l NAME"; returns buf. */
char *confgen_child_name(const struct settings *s, struct child_id id, char *buf, size_t size);
/* 0, or -EMSGSIZE when it does not fit. */
int confgen_command(const struct settings *s, struct child_id id, struct command *c);
/* For people: the words with blanks between them. Returns buf. */
char *confgen_command_text(const struct command *c, char *buf, size_t size);

#endif
