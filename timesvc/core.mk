# timesvc/core.mk
