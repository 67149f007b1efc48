/* privs.h: giving up root, for good. */
#ifndef TIMESVC_PRIVS_H
#define TIMESVC_PRIVS_H

#include <sys/types.h>
#include "err.h"

struct privs_ids { uid_t uid; gid_t gid; };

/* -ENOENT when there is no such user. */
int privs_find(const char *user, struct privs_ids *ids, struct err *e);
/* User, groups and every capability; nothing can be gained by exec later. Must be called while the
 * process has one thread. */
int privs_drop(const struct privs_ids *ids, struct err *e);

#endif
