"""Bindings: the interfaces under test, each described by a manifest beside its program."""
