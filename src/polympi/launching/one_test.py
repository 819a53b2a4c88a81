"""One test of pytest on a rank: its module with rewritten asserts, its body, and how it ended."""

from __future__ import annotations

import ast
import contextlib
import importlib
import os
import pickle
import sys
import types
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

# pytest has no public way to rewrite the asserts of a module that it hasn't collected itself, to explain what they
# compare outside a run of a test by pytest (`util`), or to have the hooks for that without a run (`_prepareconfig`).
from _pytest.assertion import util
from _pytest.assertion.rewrite import rewrite_asserts
from _pytest.config import _prepareconfig

if TYPE_CHECKING:
    from collections.abc import Sequence

FAILED, SKIPPED, XFAILED = "failed", "skipped", "xfailed"

_modules: dict[str, types.ModuleType] = {}  # of tests, by their files


class OutcomeError(Exception):
    """How a test ended that didn't pass.

    Attributes:
        kind: failed, skipped or xfailed.
        reason: in one line.
        text: what pytest shows of a failure.
    """

    def __init__(self, kind: str, reason: str, text: str = "") -> None:
        super().__init__(kind, reason, text)
        self.kind, self.reason, self.text = kind, reason, text

    def __str__(self) -> str:
        return self.reason


def run_test(path: Sequence[str], where: tuple[str, str, str, str], arguments: bytes, verbosity: int) -> None:
    """Run a test.

    Args:
        path: where modules are looked for.
        where: the file of the test, and the names of its module, its class, and its function.
        arguments: of the function, pickled.
        verbosity: of the explanation of a failed assert.

    Raises:
        OutcomeError: it didn't pass.
    """
    sys.path[:] = path
    file, module, owner, name = where
    try:
        _explain(verbosity)
        found: object = _module(file, module)
        found = attrgetter(owner)(found)() if owner else found
        getattr(found, name)(**pickle.loads(arguments))
    except pytest.skip.Exception as skipped:
        raise OutcomeError(SKIPPED, str(skipped)) from None
    except pytest.xfail.Exception as failed:
        raise OutcomeError(XFAILED, str(failed)) from None
    except (Exception, pytest.fail.Exception) as error:
        raise _failure(error, file) from None


def _module(file: str, name: str) -> types.ModuleType:
    """The module of a test, which pytest's own import hook would rewrite in the same way."""
    if file not in _modules:
        source = Path(file).read_bytes()
        tree = ast.parse(source, filename=file)
        rewrite_asserts(tree, source, file)
        module = types.ModuleType(name)
        module.__file__, module.__package__ = file, name.rpartition(".")[0]
        if module.__package__:
            with contextlib.suppress(ImportError):  # as pytest has it with --import-mode=importlib
                importlib.import_module(module.__package__)
        sys.modules[name] = module
        exec(compile(tree, file, "exec", dont_inherit=True), module.__dict__)
        _modules[file] = module
    return _modules[file]


def _explain(verbosity: int) -> None:
    """Let failed asserts say how the two sides of a comparison differ, as pytest has it."""
    if util._reprcompare is not None:
        return
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    before = os.environ.copy()
    os.environ.update(alone)
    try:
        config = _prepareconfig(["-c", os.devnull, "--rootdir=/", f"--verbosity={verbosity}"])
    finally:
        os.environ.clear()
        os.environ.update(before)

    def explain(op: str, left: object, right: object) -> str | None:
        for lines in config.hook.pytest_assertrepr_compare(config=config, op=op, left=left, right=right):
            if lines:
                return "\n~".join(line.replace("\n", "\\n") for line in lines).replace("%", "%%")
        return None

    util._reprcompare = explain


def _failure(error: BaseException, file: str) -> OutcomeError:
    """A failure as pytest shows it."""
    info = pytest.ExceptionInfo.from_exception(error)
    reason = (info.exconly(tryshort=True).splitlines() or [""])[0]
    if isinstance(error, pytest.fail.Exception) and not error.pytrace:
        return OutcomeError(FAILED, reason, str(error))
    info.traceback = info.traceback.cut(path=file)
    return OutcomeError(FAILED, reason, str(info.getrepr(style="long")))
