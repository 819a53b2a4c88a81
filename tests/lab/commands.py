"""The command ``polympi`` in this process, which has imported everything: a start takes longer than most commands."""

import contextlib
import io
import subprocess
import sys
from pathlib import Path

import pytest

import polympi.lab.cli.console  # noqa: F401 - keeps the width that it finds, so it is made before a test chooses one
from polympi.lab.cli.app import run_app


def typed(*arguments: str, folder: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setattr(sys, "argv", ["polympi", *arguments])
        patch.chdir(folder or Path.cwd())
        for name, value in {"COLUMNS": "100", **variables}.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as left:
            run_app()
    code = left.value.code
    assert code is None or isinstance(code, int), code
    return subprocess.CompletedProcess(arguments, code or 0, out.getvalue(), err.getvalue())


def refusal(*arguments: str) -> str:
    """What a command writes that is refused, on standard error alone."""
    done = typed(*arguments)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "Traceback" not in done.stderr
    return done.stderr
