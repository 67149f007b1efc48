# probe/local.mk
