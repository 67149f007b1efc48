/* status.h: the exit statuses of timesvcd, one per thing an operator must mend. */
#ifndef TIMESVC_STATUS_H
#define TIMESVC_STATUS_H

enum status {
	STATUS_OK, STATUS_FAILURE, STATUS_USAGE, STATUS_CONFIG, STATUS_INTERFACE, STATUS_PRIVILEGE,
	STATUS_PROGRAM, STATUS_BUSY, STATUS_USER
};

#endif
