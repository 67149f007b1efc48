# tests/unit/monitor.mk
