/* notify.h: tells systemd how the service is; nothing where it did not start us. */
#ifndef TIMESVC_NOTIFY_H
#define TIMESVC_NOTIFY_H

/* 1 when systemd waits for notices. Takes the address out of the environment, away from children. */
int notify_open(void);
/* "READY=1", "STOPPING=1", … */
void notify_send(const char *state);

#endif
