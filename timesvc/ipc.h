/* ipc.h: what the monitor, the engine and the front say to each other: fixed structs over
 * SOCK_SEQPACKET, descriptors by SCM_RIGHTS, one host, one build.
 *
 *   engine → monitor   struct ipc_request
 *   monitor → engine   struct ipc_notice
 *   engine → front     struct snapshot (snapshot.h); dropped and counted when the queue is full
 *
 * A peer that sends anything of another size or kind is cut off. */
#ifndef TIMESVC_IPC_H
#define TIMESVC_IPC_H

#include <stdint.h>

#define IPC_VERSION 2u

/* Children have fixed numbers: per clock one ptp4l and one phc2sys, per probe one. */
enum child_kind { CHILD_PTP4L, CHILD_PHC2SYS, CHILD_PROBE };
struct child_id { uint16_t kind; uint16_t index; };	/* index of the clock or probe */

enum ipc_request_kind {
	IPC_OPEN_MGMT = 1,	/* index: clock. Answer: IPC_MGMT with a descriptor or an error */
	IPC_RESTART,		/* child: TERM, KILL after the stop timeout, start again. flag 0: it is at
				 * fault; 1: what it runs on has changed, and no back-off is waited for */
	IPC_OPEN_PHC,		/* index: clock. Answer: IPC_PHC with a descriptor or an error */
	IPC_WANT,		/* child: flag 1 is to run from now on, 0 not any more (phc2sys only) */
};
struct ipc_request {
	uint32_t version, kind;
	struct child_id child;
	uint32_t index;
	int32_t flag;
};

/* Which PTP hardware clock it is. The number of /dev/ptpN is for people: it is another after a driver
 * was loaded again, and never compared. "" where there is none. */
struct phc_identity {
	char pci[16];		/* 0000:01:00.0 */
	char driver[16];
	char name[32];		/* clock_name of the driver */
	int32_t index;
	uint32_t reserved;
};

enum ipc_notice_kind {
	IPC_MGMT = 1,		/* error 0: the descriptor comes with it */
	IPC_CHILD_STARTED,	/* pid, starts */
	IPC_CHILD_EXITED,	/* pid, wait status in `status`, -1 when it is not known (adopted) */
	IPC_CHILD_CRASH_LOOP,	/* flag: 1 began, 0 ended */
	IPC_SETTINGS,		/* a memfd with the new configuration text comes with it */
	IPC_STOP,		/* the daemon is going down in order */
	IPC_PHC,		/* error 0: the descriptor comes with it, phc says of what */
};
struct ipc_notice {
	uint32_t version, kind;
	struct child_id child;
	uint32_t index;
	int32_t pid, status, error, flag;
	uint32_t starts;	/* how often this daemon started it; 0: adopted */
	struct phc_identity phc;
};

/* 0 or -errno; EAGAIN on a full non-blocking socket. */
int ipc_send(int sock, const void *msg, unsigned long len, int fd);
/* 1 received, 0 end of stream, -EAGAIN, or -EPROTO for a wrong size or version. */
int ipc_recv_request(int sock, struct ipc_request *r);
int ipc_recv_notice(int sock, struct ipc_notice *n, int *fd);

#endif
