# tests/system/local.mk
