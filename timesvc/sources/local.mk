# timesvc/sources/local.mk
