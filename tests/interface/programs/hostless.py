"""Sentences without the hosts that they name where there are several: tests on one and on several expect the same."""

import re
from collections.abc import Callable


def without_hosts(text: str) -> str:
    """What is said of ranks where all are on one host."""
    return re.sub(r" \(host \w+\)", "", text)


def refused(kind: type[BaseException], text: str, call: Callable[[], object]) -> str:
    """The sentence of the exception of this kind that a call must raise, with this text in it."""
    try:
        call()
    except kind as error:
        sentence = without_hosts(str(error))
        assert text in sentence, sentence
        return sentence
    raise AssertionError(f"no {kind.__name__}: {text}")
