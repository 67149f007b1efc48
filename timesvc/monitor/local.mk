# timesvc/monitor/local.mk
