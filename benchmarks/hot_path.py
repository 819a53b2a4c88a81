"""How many instructions a call of polympi executes outside MPI: the table in docs/core.md.

    python benchmarks/hot_path.py            # prints what differs from the table
    python benchmarks/hot_path.py --write    # renews the table

Rank 0 of two runs under callgrind, which counts only within calls of the core. It is some fifty times as slow as rank
1, whose part of the call is complete by then. Each call is made several times, and the fewest instructions count. A
test refuses counts that differ from the table by more than MARGIN, on a machine with the compiler and the Python that
it names.
"""

import argparse
import platform
import re
import subprocess
import tempfile
from pathlib import Path

from polympi.lab.bindings.core import build_core
from polympi.lab.demand.callgrind import outside_mpi
from polympi.lab.demand.rank_0 import on_rank_0
from polympi.lab.errors import UsageError
from polympi.lab.process import run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack, get_stack

HERE = Path(__file__).parent
PROGRAM = HERE / "hot_path_rank.py"
DOCUMENT = HERE.parent / "docs" / "core.md"
STACKS = ("mpich", "openmpi")
SIZES = (8, 65536)
MARGIN = 0.03  # of a count; what is repeated differs by less
REPEATS = 6
TIMEOUT_S = 300.0
# What the methods of the core are called in C; a request is dropped after its wait.
COUNTED = ("communicator_*", "request_wait", "wait_all", "request_dealloc")
FLAGS = ("--compress-strings=no", "--compress-pos=no", "--dump-before=getppid")
HEAD = "| call | MPICH: 8 B | Open MPI: 8 B | MPICH: 64 KiB | Open MPI: 64 KiB |"
ROW = re.compile(r"^\| `(.+?)` \|(.+)\|$")

Counts = dict[tuple[str, str, int], int]  # of a call, a stack and a size


def made_with() -> str:
    """The compiler and the Python on which counts depend."""
    version = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
    return f"gcc {version.stdout.strip()} and CPython {'.'.join(platform.python_version_tuple()[:2])}"


def counted(stack: Stack) -> Counts:
    """The counts on a stack, from one launch."""
    with tempfile.TemporaryDirectory() as scratch:
        output, profile = Path(scratch, "output"), Path(scratch, "profile")
        words = ["valgrind", "--tool=callgrind", *FLAGS, *(f"--toggle-collect={name}" for name in COUNTED)]
        program = [stack.python, str(PROGRAM), str(REPEATS), *map(str, SIZES)]
        command = mpiexec_command(
            stack, 2, [*on_rank_0([*words, f"--callgrind-out-file={profile}.%p"]), *program], processors=2
        )
        core = str(build_core(stack))
        variables = {**stack.variables(), "PYTHONPATH": str(HERE.parent / "src"), "POLYMPI_CORE_FOLDER": core}
        variables["POLYMPI_WAIT"] = "spin"  # rank 1 never sleeps, so it is never woken
        ended = run_tree(command, environment=variables, timeout_s=TIMEOUT_S, output=output)
        if ended.exit_code != 0:
            raise UsageError(f"Under valgrind the ranks ended with {ended.exit_code}: {ended.tail}")
        names = re.findall(r"^row: (.+ \d+)$", output.read_text(), re.MULTILINE)
        windows = _windows(Path(scratch))
    if len(windows) < REPEATS * len(names) or not names:
        raise UsageError(f"callgrind has {len(windows)} windows for {len(names)} calls: are there marks?")
    found = {}
    for place, name in enumerate(names):
        call, _, size = name.rpartition(" ")
        found[call, stack.name, int(size)] = min(windows[place * REPEATS : (place + 1) * REPEATS])
    return found


def _windows(folder: Path) -> list[int]:
    """The instructions between the marks of each call: every other profile, beginning with the second."""
    found = []
    profiles = [path for path in folder.glob("profile.*.*") if path.suffix[1:].isdigit()]
    for path in sorted(profiles, key=lambda one: int(one.suffix[1:]))[1::2]:
        with path.open(errors="replace") as profile:
            found.append(outside_mpi(profile))
    return found


def table(counts: Counts) -> list[str]:
    """The table of counts in Markdown."""
    lines = [HEAD, "|" + "---|" * (1 + len(STACKS) * len(SIZES))]
    for call in dict.fromkeys(call for call, _, _ in counts):
        cells = [counts.get((call, stack, size)) for size in SIZES for stack in STACKS]
        if call == "barrier":
            cells = [*(counts[call, stack, 0] for stack in STACKS), None, None]
        lines.append(f"| `{call}` | " + " | ".join("" if cell is None else str(cell) for cell in cells) + " |")
    return lines


def _place(lines: list[str]) -> tuple[int, int]:
    """Where the table begins and ends."""
    first = lines.index(HEAD)
    return first, next(n for n in range(first, len(lines)) if not lines[n].startswith("|"))


def documented(text: str) -> Counts:
    """The counts that the documentation has."""
    lines = text.splitlines()
    first, end = _place(lines)
    found = {}
    for line in lines[first + 2 : end]:
        match = ROW.match(line)
        assert match, line
        cells = [cell.strip() for cell in match[2].split("|")]
        places = [(stack, size) for size in SIZES for stack in STACKS]
        for cell, (stack, size) in zip(cells, places, strict=True):
            if cell:
                found[match[1], stack, 0 if match[1] == "barrier" else size] = int(cell)
    return found


def renewed(text: str, counts: Counts, maker: str) -> str:
    """The documentation with other counts, and what they were made with."""
    lines = text.splitlines()
    first, end = _place(lines)
    lines[first:end] = table(counts)
    return re.sub(r"gcc [\d.]+ and CPython [\d.]+", maker, "\n".join(lines) + "\n")


def differences(counts: Counts, expected: Counts) -> list[str]:
    """One sentence for each count that isn't what the table says."""
    found = [f"{key} is in one of them only" for key in counts.keys() ^ expected.keys()]
    for key in counts.keys() & expected.keys():
        now, before = counts[key], expected[key]
        if abs(now - before) > MARGIN * before:
            call, stack, size = key
            found.append(f"{call} of {size} B on {stack} takes {now} instructions, and {before} in docs/core.md")
    return sorted(found)


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
        DOCUMENT.write_text(renewed(text, counts, made_with()))
    else:
        print("\n".join([*table(counts), "", *differences(counts, documented(text))]))


if __name__ == "__main__":
    main()
