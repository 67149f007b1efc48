# tests/unit/sources.mk
