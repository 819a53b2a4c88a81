"""The prompt whose lines run on all ranks."""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.one_host, pytest.mark.any_library]

COMMANDS = {
    "module": [sys.executable, "-m", "polympi.shell"],
    "command": [sys.executable, "-m", "polympi", "shell"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_lines_run_on_all_ranks_and_equal_results_are_shown_once(polympi_env, command: list[str]) -> None:
    lines = """
world.size
number = world.rank
number
def double(x):
    return 2 * x

double(number) if number else None
1 / 0
import sys; sys.exit(3)
1 +
world.allreduce(1)
exit
print("never")
"""
    program = [*command, "-n", "2"]
    ended = subprocess.run(
        program,
        env={**os.environ, **polympi_env},
        input=lines,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = [line.lstrip(">. ") for line in ended.stdout.splitlines() if "[" in line]
    assert said == [
        *("[all ranks] 2", "[rank 0] 0", "[rank 1] 1", "[rank 1] 2"),
        *("[all ranks] Traceback (most recent call last):", '[all ranks]   File "<shell>", line 1, in <module>'),
        "[all ranks] ZeroDivisionError: division by zero",
        *("[all ranks] Traceback (most recent call last):", '[all ranks]   File "<shell>", line 1, in <module>'),
        *("[all ranks] SystemExit: 3", "[all ranks] 2"),
    ], ended.stdout
    assert "SyntaxError" in ended.stderr
    assert "never" not in ended.stdout
    assert ended.returncode == 0


def test_ctrl_c_interrupts_a_line_and_the_prompt_goes_on(polympi_env) -> None:
    program = [*COMMANDS["module"], "-n", "2"]
    with subprocess.Popen(
        program,
        env={**os.environ, **polympi_env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as shell:
        assert shell.stdin
        assert shell.stdout
        shell.stdin.write("print('waits', flush=True); world.recv(1 - world.rank)\n")
        shell.stdin.flush()
        waiting = 0
        while waiting < 2:
            line = shell.stdout.readline()
            assert line
            waiting += "waits" in line
        os.kill(shell.pid, signal.SIGINT)
        said, _ = shell.communicate("world.allreduce(1)\n", timeout=120)
    assert "KeyboardInterrupt" in said
    assert "[all ranks] 2" in said


def test_a_launcher_that_is_missing_is_one_sentence(polympi_env) -> None:
    program = [*COMMANDS["module"], "--launcher", "nowhere"]
    ended = subprocess.run(
        program, env={**os.environ, **polympi_env}, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("polympi shell: launch(): the launcher 'nowhere' was not found: ")
