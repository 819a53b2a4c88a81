"""Tests of pytest that run on ranks, as the process of pytest sees them."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, NoReturn, cast

import pytest

from polympi.launching.answers import RemoteTraceback, ranks_in_words
from polympi.launching.in_step import in_step
from polympi.launching.one_test import FAILED, SKIPPED, OutcomeError, run_test
from polympi.launching.pickling import dumps
from polympi.launching.ranks import Ranks, launch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TIMEOUT_S = 60.0


class Jobs:
    """The ranks of a session: one job for each number of ranks and each environment."""

    def __init__(self) -> None:
        self._jobs: dict[tuple[int, tuple[tuple[str, str], ...]], Ranks] = {}

    def run(self, item: pytest.Function, ranks: int = 2, timeout: float = TIMEOUT_S) -> None:
        """Run a test: pytest's own exceptions say how it ended, if it didn't pass."""
        arguments = {name: item.funcargs[name] for name in _fixtures_of(item)}
        unsendable = [name for name, value in arguments.items() if not _is_sendable(value)]
        if unsendable:
            pytest.fail(
                f"a test on ranks can't have the fixture {unsendable[0]}, which can't be pickled: make it in the "
                "test, or in a function that the test calls",
                pytrace=False,
            )
        job = self._job(ranks, cast("Mapping[str, str]", item.funcargs["polympi_env"]))
        job.timeout = timeout
        where = (str(item.path), item.module.__name__, item.cls.__qualname__ if item.cls else "", item.originalname)
        verbosity = item.config.get_verbosity()
        call = (sys.path, where, dumps(arguments), verbosity)
        _report(_raised(lambda: job._run(item.name, run_test, call, {})))
        _report(
            _raised(lambda: job._run(item.name, in_step, (timeout,), {})), "after the test, ranks are not in step: "
        )

    def _job(self, ranks: int, env: Mapping[str, str]) -> Ranks:
        key = ranks, tuple(sorted(env.items()))
        if key not in self._jobs:
            self._jobs[key] = launch(ranks, env=env)
        return self._jobs[key]

    def close(self) -> None:
        """End all."""
        for job in self._jobs.values():
            job.close()


def _fixtures_of(item: pytest.Function) -> list[str]:
    """Those that the test takes as arguments."""
    parameters = inspect.signature(item.obj).parameters.values()
    return [each.name for each in parameters if each.default is each.empty and each.name in item.funcargs]


def _is_sendable(value: object) -> bool:
    try:
        dumps(value)
    except Exception:
        return False
    return True


def _raised(run: Callable[[], object]) -> Exception | None:
    """What a call on ranks raises."""
    try:
        run()
    except Exception as error:
        return error
    return None


def _report(error: Exception | None, lead: str = "") -> None:
    """Let what ranks raise be how the test ends."""
    if error is not None:
        _end(list(getattr(error, "exceptions", [error])), lead)


def _end(errors: list[Exception], lead: str) -> NoReturn:
    kinds = {error.kind if isinstance(error, OutcomeError) else FAILED for error in errors}
    text = "\n".join(_text(error) for error in errors)
    if FAILED in kinds:
        pytest.fail(f"{lead}{text}", pytrace=False)
    if kinds == {SKIPPED}:
        pytest.skip(text)
    pytest.xfail(text)


def _text(error: Exception) -> str:
    """What failed on which ranks."""
    cause = error.__cause__
    if not isinstance(cause, RemoteTraceback):
        return str(error)
    label = ranks_in_words(cause.ranks)
    shown = [error.text] if isinstance(error, OutcomeError) and error.text else []
    return "\n".join([f"[{label}] {error}", *shown, *cause.stopped])
