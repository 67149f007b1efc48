#define _GNU_SOURCE 1	/* setresuid(), setgroups() */
#include "privs.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int privs_find(const char *user, struct privs_ids *ids, struct err *e)
{
	const struct passwd *pw = getpwnam(user);

	if (!pw)
		return err_set(e, -ENOENT, "there is no user '%s': create it or set the key 'user'", user);
	ids->uid = pw->pw_uid;
	ids->gid = pw->pw_gid;
	return 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

	memset(none, 0, sizeof(none));
	return syscall(SYS_capset, &head, none) ? -errno : 0;
}

/* Needs root still: ends at the first number that this kernel does not know. */
static void drop_bounding_set(void)
{
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

int privs_drop(const struct privs_ids *ids, struct err *e)
{
	drop_bounding_set();
	if (setgroups(0, NULL) || setresgid(ids->gid, ids->gid, ids->gid) ||
	    setresuid(ids->uid, ids->uid, ids->uid))
		return err_set(e, -errno, "cannot become user %u: %s", (unsigned)ids->uid,
			strerror(errno));
	if (drop_capabilities() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return err_set(e, -EPERM, "cannot give up privileges");
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (ids->uid && (!setuid(0) || !setgid(0)))
		return err_set(e, -EPERM, "root came back after it was given up");
	return 0;
}
