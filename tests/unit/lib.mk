# tests/unit/lib.mk
