"""How many instructions of the core a call of polympi executes: the table in docs/core.md.

    python benchmarks/hot_path.py            # prints the counts, and what exceeds the table
    python benchmarks/hot_path.py --write    # renews the table

Rank 0 of two runs under callgrind, which counts only within calls of the core. It is some fifty times as slow as rank
1, whose part of the call is complete by then. Each call is made several times, and the fewest instructions count. The
instructions of Python, of MPI and of the C library aren't the core's, and not counted. A test refuses counts that
exceed the table's by more than MARGIN where the compiler is the one that it names.
"""

import argparse
import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from polympi.lab.bindings.core import build_core
from polympi.lab.demand.rank_0 import on_rank_0
from polympi.lab.errors import UsageError
from polympi.lab.process import run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack, get_stack

HERE = Path(__file__).parent
PROGRAM = HERE / "hot_path_rank.py"
DOCUMENT = HERE.parent / "docs" / "core.md"
STACKS = ("mpich", "openmpi")
MARGIN = 0.03  # of a count; what is repeated differs by less
REPEATS = 10
TIMEOUT_S = 300.0
# What the methods of the core are called in C; a request is dropped after its wait.
COUNTED = ("communicator_*", "request_wait", "wait_all", "request_dealloc")
FLAGS = ("--compress-strings=no", "--compress-pos=no", "--dump-before=getppid")
HEAD = "| call | MPICH | Open MPI |"
ROW = re.compile(r"^\| `(.+?)` \| (\d+) \| (\d+) \|$", re.MULTILINE)
COMPILER = re.compile(r"gcc [\d.]+")

Counts = dict[tuple[str, str], int]  # of a call and a stack


def compiler() -> str:
    """The compiler on which counts depend."""
    version = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
    return f"gcc {version.stdout.strip()}"


def counted(stack: Stack) -> Counts:
    """The counts on a stack, from one launch."""
    with tempfile.TemporaryDirectory() as scratch:
        output, profile = Path(scratch, "output"), Path(scratch, "profile")
        words = ["valgrind", "--tool=callgrind", *FLAGS, *(f"--toggle-collect={name}" for name in COUNTED)]
        first = on_rank_0([*words, f"--callgrind-out-file={profile}.%p"])
        command = mpiexec_command(stack, 2, [*first, stack.python, str(PROGRAM), str(REPEATS)], processors=2)
        variables = {**stack.variables(), "PYTHONPATH": str(HERE.parent / "src")}
        variables["POLYMPI_CORE_FOLDER"] = str(build_core(stack))
        variables["POLYMPI_WAIT"] = "spin"  # rank 1 never sleeps, so it is never woken
        ended = run_tree(command, environment=variables, timeout_s=TIMEOUT_S, output=output)
        if ended.exit_code != 0:
            raise UsageError(f"Under valgrind the ranks ended with {ended.exit_code}: {ended.tail}")
        names = re.findall(r"^row: (.+)$", output.read_text(), re.MULTILINE)
        windows = _windows(Path(scratch))
    if len(windows) < REPEATS * len(names) or not names:
        raise UsageError(f"callgrind has {len(windows)} windows for {len(names)} calls: are there marks?")
    return {
        (name, stack.name): min(windows[place * REPEATS : (place + 1) * REPEATS]) for place, name in enumerate(names)
    }


def _windows(folder: Path) -> list[int]:
    """The instructions between the marks of each call: every other profile, beginning with the second."""
    found = []
    profiles = [path for path in folder.glob("profile.*.*") if path.suffix[1:].isdigit()]
    for path in sorted(profiles, key=lambda one: int(one.suffix[1:]))[1::2]:
        with path.open(errors="replace") as profile:
            found.append(of_core(profile))
    return found


def of_core(profile: Iterable[str]) -> int:
    """The instructions of a profile that are the core's own, without those of what it calls."""
    total, here, of_call = 0, False, False
    for line in profile:
        if line.startswith("ob="):
            here = "/core_" in line
        elif line.startswith("calls="):
            of_call = True
        elif line[:1].isdigit():
            total += int(line.split()[1]) if here and not of_call else 0
            of_call = False
    return total


def table(counts: Counts) -> list[str]:
    """The table of counts in Markdown."""
    calls = dict.fromkeys(call for call, _ in counts)
    rows = [f"| `{call}` | {' | '.join(str(counts[call, stack]) for stack in STACKS)} |" for call in calls]
    return [HEAD, "|---|---|---|", *rows]


def documented(text: str) -> Counts:
    """The counts that the documentation has."""
    rows = ROW.findall(text[text.index(HEAD) :])
    return {(call, stack): int(count) for call, *two in rows for stack, count in zip(STACKS, two, strict=True)}


def renewed(text: str, counts: Counts, maker: str) -> str:
    """The documentation with other counts, and the compiler they were made with."""
    before, rest = text[: text.index(HEAD)], text[text.index(HEAD) :].splitlines(keepends=True)
    after = next(place for place, line in enumerate(rest) if not line.startswith("|"))
    return COMPILER.sub(maker, before) + "\n".join([*table(counts), *"".join(rest[after:]).splitlines()]) + "\n"


def exceeded(counts: Counts, budget: Counts) -> list[str]:
    """One sentence for each count that exceeds the table's, or has no row there."""
    return sorted(
        f"{call} on {stack} takes {count} instructions, and {budget.get((call, stack), 'none')} in docs/core.md"
        for (call, stack), count in counts.items()
        if count > (1 + MARGIN) * budget.get((call, stack), 0)
    )


def main() -> None:
    """Count on both stacks, and compare with the table or renew it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="renew the table in docs/core.md")
    write = parser.parse_args().write
    text = DOCUMENT.read_text()
    counts: Counts = {}
    for name in STACKS:
        counts |= counted(get_stack(name))
    if write:
        DOCUMENT.write_text(renewed(text, counts, compiler()))
    else:
        print("\n".join([*table(counts), "", *exceeded(counts, documented(text))]))


if __name__ == "__main__":
    main()
