"""Has the core become slower since a revision?

    python benchmarks/another_core.py d91f065 --stack openmpi --bench 'latency,bandwidth,object'

takes the package of that revision out of git and measures it as further bindings, ``polympi-before`` and
``polympi-object-before``, beside today's: the same programs, in the same interleaved launches, so that a machine that
changes from hour to hour changes for both. Then each of the two is judged against C as by ``polympi diff``, the earlier
one as the run before. It exits as that does: with 1 if something has become slower, and with 3 if it cannot tell.

With ``HEAD`` nothing differs and nothing may be called slower. A revision that lacks what a benchmark needs is left out
of the run with a sentence: choose others with ``--bench``.
"""

import io
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import tomllib
import typer
from evidence import CsvFile, StackName, keep_raw, measure_whole, quick_request, refuse_existing, run_command

from polympi.lab.bindings.manifest import shipped_folder
from polympi.lab.cli.console import results
from polympi.lab.errors import UsageError
from polympi.lab.stacks.stack import get_stack
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.comparison.compare import THRESHOLD, compare_medians
from polympi.lab.statistics.comparison.model import Change, Comparison
from polympi.lab.statistics.comparison.verdicts import exit_code_of
from polympi.lab.statistics.verdicts import FASTER, SLOWER

REPOSITORY = Path(__file__).parents[1]
BEFORE = "-before"  # ends the name of a binding of the earlier package
NAMES = ("polympi", "polympi-object")
INSTALL = '''"""Put an earlier package where bindings are built, with its core: install.py PACKAGE MPICC FOLDER."""
import pathlib, shutil, subprocess, sys

package, mpicc, into = sys.argv[1:]
native = pathlib.Path(into, "polympi", "native")
shutil.copytree(package, native.parent, ignore=shutil.ignore_patterns("lab", "*.so"))
sys.exit(subprocess.run([sys.executable, native / "build.py", "--mpicc", mpicc, "--into", native]).returncode)
'''


def binding_of(revision: str, folder: Path) -> Path:
    """A folder with the package of a revision that git has, and a binding for each of its two ways to receive."""
    into = folder / "polympi_before"
    archive = ["git", "-C", str(REPOSITORY), "archive", revision, "src/polympi"]
    try:
        archived = subprocess.run(archive, capture_output=True, check=False)
    except FileNotFoundError:
        raise UsageError("The earlier package comes from git, which is not installed: apt-get install git") from None
    if archived.returncode != 0:
        raise UsageError(f"git has no package of '{revision}': {archived.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(archived.stdout)) as package:
        package.extractall(into, filter="data")
    (into / "install.py").write_text(INSTALL)
    (into / "manifest.toml").write_text("\n".join(f"{k} = {_toml(v)}" for k, v in manifest_of(revision).items()))
    return folder


def manifest_of(revision: str) -> dict[str, Any]:
    """The manifest of today's package, with the package of a revision instead and names that say so."""
    folder = shipped_folder() / "polympi"
    manifest = tomllib.loads((folder / "manifest.toml").read_text())
    manifest["name"] += BEFORE
    manifest["summary"] = f"polympi's own interface, as it was at {revision}"
    manifest["build"] = {
        "sources": ["install.py", "src/polympi/*.py", "src/polympi/native/**/*.[ch]", "{bindings}/polympi/*.py"],
        "command": ["{python}", "{folder}/install.py", "{folder}/src/polympi", "{mpicc}", "{output}"],
    }
    manifest.pop("hello", None)
    for binding in manifest["bindings"]:
        binding["name"] += BEFORE
        binding["default"] = False
        binding["run"] = [part.replace("{folder}", "{bindings}/polympi") for part in binding["run"]]
        for counted in ("timed", "not_counted", "applications", "communication"):  # lines are those of today's programs
            binding.pop(counted, None)
    return manifest


def _toml(value: object) -> str:
    """A value of a manifest on one line; its texts, numbers and lists are written as in JSON."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_toml(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def compared(medians: pl.DataFrame, threshold: float) -> Comparison:
    """What became of the earlier package, with C and the A/A arm of the one run on both sides."""
    earlier = [name + BEFORE for name in NAMES]
    renamed = pl.col("binding").replace(dict(zip(earlier, NAMES, strict=True)))
    before = medians.filter(~pl.col("binding").is_in(NAMES)).with_columns(renamed)
    after = medians.filter(~pl.col("binding").is_in(earlier))
    return compare_medians(before, after, chosen=pl.col("binding").is_in(NAMES), threshold=threshold)


def main(
    revision: Annotated[str, typer.Argument(metavar="REVISION", help="The earlier one, as git names it.")],
    *,
    stack: StackName = "mpich",
    bench: Annotated[str | None, typer.Option(metavar="NAME,...", help="Benchmarks or patterns. Default: all.")] = None,
    blocks: Annotated[int, typer.Option(min=5, metavar="N", help="Blocks.")] = 20,
    threshold: Annotated[float, typer.Option(min=0.01, help="The least relative change that counts.")] = THRESHOLD,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Keep the result directory here; it must not exist."),
    ] = None,
    csv: CsvFile = None,
) -> None:
    """Compare today's core with that of a revision, in one run; exits with 1 if it is slower, 3 if it cannot tell.

    The times mean something only if nothing else is running.
    """
    refuse_existing(csv)
    with tempfile.TemporaryDirectory() as scratch:
        folder = binding_of(revision, Path(scratch))
        wanted = [name + ending for name in NAMES for ending in ("", BEFORE)]
        request = quick_request(get_stack(stack), [folder], wanted, bench, blocks, output or Path(scratch) / "run")
        medians = analyse(measure_whole(request)).launch_medians
    keep_raw(medians, csv)
    found = compared(medians, threshold)
    for group in found.groups:
        results.print(f"{group.binding} {group.benchmark}: {group.verdict}, {_interval(group)}, {group.rows} rows")
    for row in found.rows:
        if row.verdict in {SLOWER, FASTER}:
            name = f"{row.binding} {row.benchmark} {row.mode} {row.payload} {row.size_bytes} B"
            results.print(f"{name}: {row.verdict}, {_interval(row)}", soft_wrap=True)
    raise typer.Exit(exit_code_of([group.verdict for group in found.groups]))


def _interval(change: Change) -> str:
    between = "" if change.change_low is None else f" ({change.change_low:.3f} to {change.change_high:.3f})"
    return f"{change.change:.3f}{between}"


if __name__ == "__main__":
    run_command(main)
