"""Errors of polympi as those of an older module."""

from __future__ import annotations

import functools

from polympi import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    _P = ParamSpec("_P")
    _R = TypeVar("_R")


def raising(translated: Callable[[Error], Exception]) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """A decorator of calls, whose errors of polympi become what a function makes of them.

    The calls that programs make most often catch such errors themselves, which saves a Python call.
    """

    def decorated(call: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(call)
        def calling(*given: _P.args, **named: _P.kwargs) -> _R:
            try:
                return call(*given, **named)
            except Error as error:
                raise translated(error) from None

        return calling

    return decorated
