# tests/unit/front.mk
