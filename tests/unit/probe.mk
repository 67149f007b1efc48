# tests/unit/probe.mk
