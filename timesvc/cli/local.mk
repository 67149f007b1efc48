# timesvc/cli/local.mk
