# timesvc/front/local.mk
