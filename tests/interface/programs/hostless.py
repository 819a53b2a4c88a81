"""Sentences without the hosts that they name where there are several: tests on one and on several expect the same."""

import re


def without_hosts(text: str) -> str:
    """What is said of ranks where all are on one host."""
    return re.sub(r" \(host \w+\)", "", text)
