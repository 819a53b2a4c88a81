"""Looks for processes, by psutil: a minimal machine has neither ps nor pgrep."""

from __future__ import annotations

import psutil


def commands_with(words: str) -> list[str]:
    """The command lines that contain these words, of processes that run."""
    lines = (" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"]))
    return [line for line in lines if words in line]
