"""Bindings: the interfaces under test, each described by a manifest next to its program."""
