"""Does C that comes compiled with a wheel measure what C measures that is compiled here?

    make wheels
    python benchmarks/prebuilt_arms.py wheelhouse/polympi_lab-*x86_64.whl --stack openmpi

measures the program of the wheel in one interleaved run with the same sources compiled on this machine, which are the
reference and its A/A arm, and with ``c-delayed`` of the tests, which waits 200 ns before each call. It exits with 1 if
a row of the wheel's program is slower or faster than the reference, or if a small message of the delayed one isn't
slower.
"""

import platform
import tempfile
import zipfile
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from evidence import MISSED, CsvFile, StackName, keep_raw, measure_whole, quick_request, refuse_existing, run_command

from polympi.lab.cli.console import results
from polympi.lab.errors import UsageError
from polympi.lab.stacks.prebuilt import abi_name, put
from polympi.lab.stacks.stack import Stack, get_stack
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.verdicts import AMBIGUOUS, FASTER, NOT_SEPARATED, SLOWER

PREBUILT, DELAYED = "c-prebuilt", "c-delayed"
WITH_DELAYED = Path(__file__).parents[1] / "tests" / "bindings"
SMALL = 64  # bytes up to which the delay is more than the noise of a latency

MANIFEST = f"""
name = "{PREBUILT}"
language = "C"
summary = "the reference as a wheel brings it"
build = {{ sources = ["bench"], command = ["cp", "{{folder}}/bench", "{{output}}/bench"] }}

[[bindings]]
name = "{PREBUILT}"
summary = "the reference as a wheel brings it"
run = ["{{output}}/bench", "{{plan}}", "{{samples}}", "single", "--name", "{{binding}}"]
covers = ["all"]
"""


def binding_of(wheel: Path, stack: Stack, folder: Path) -> Path:
    """A folder with a further binding: the program of a wheel, put in place for a stack."""
    into = folder / PREBUILT
    into.mkdir()
    put(unpacked(wheel, stack, folder / "wheel"), stack, into)
    (into / "manifest.toml").write_text(MANIFEST)
    return folder


def unpacked(wheel: Path, stack: Stack, into: Path) -> Path:
    """The folder of the program in C that a wheel of the laboratory has for the ABI of a stack."""
    part = f"polympi/lab/prebuilt/{platform.machine()}-{abi_name(stack)}/c/"
    try:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(into, [name for name in archive.namelist() if name.startswith(part)])
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(f"'{wheel}' cannot be read as a wheel: {error}.") from error
    if not (into / part).is_dir():
        raise UsageError(f"'{wheel}' has no program in C for {platform.machine()} and '{stack.name}'.")
    return into / part


def missed(summary: pl.DataFrame) -> pl.DataFrame:
    """The rows that miss the target."""
    small = (pl.col("benchmark") == "latency") & (pl.col("size_bytes") <= SMALL)
    differs = (pl.col("binding") == PREBUILT) & pl.col("verdict").is_in([SLOWER, FASTER])
    overlooked = (pl.col("binding") == DELAYED) & small & (pl.col("verdict") != SLOWER)
    return summary.filter(differs | overlooked)


def main(
    wheel: Annotated[Path, typer.Argument(metavar="WHEEL", help="A wheel of the laboratory, for this processor.")],
    *,
    stack: StackName = "mpich",
    bench: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Benchmarks or patterns. Default: those of quick runs.")
    ] = None,
    blocks: Annotated[int, typer.Option(min=6, metavar="N", help="Blocks.")] = 20,
    csv: CsvFile = None,
) -> None:
    """Compare C of a wheel with C compiled here, in one run; exits with 1 if they differ, or a delay isn't found."""
    refuse_existing(csv)
    with tempfile.TemporaryDirectory() as scratch:
        on = get_stack(stack)
        folders = [binding_of(wheel, on, Path(scratch)), WITH_DELAYED]
        request = quick_request(on, folders, [PREBUILT, DELAYED], bench, blocks, Path(scratch) / "run")
        summary = analyse(measure_whole(request)).summary
    keep_raw(summary, csv)
    for name in (PREBUILT, DELAYED):
        rows = summary.filter(pl.col("binding") == name, pl.col("ratio_to_c").is_not_null())
        verdicts = ", ".join(
            f"{count} {verdict}"
            for verdict in (NOT_SEPARATED, AMBIGUOUS, SLOWER, FASTER)
            if (count := rows.filter(pl.col("verdict") == verdict).height)
        )
        low, middle, high = (rows["ratio_to_c"].quantile(share, "linear") for share in (0.05, 0.5, 0.95))
        text = f"ratio to C {middle:.3f}, of nine rows in ten {low:.3f} to {high:.3f}"
        results.print(f"{name} on {stack}: {verdicts}; {text}", soft_wrap=True)
    wrong = missed(summary)
    for row in wrong.iter_rows(named=True):
        case = f"{row['benchmark']}/{row['mode']}/{row['payload']}, {row['size_bytes']} B"
        interval = f"{row['ratio_to_c']:.3f} ({row['ratio_low']:.3f} to {row['ratio_high']:.3f})"
        results.print(f"{row['binding']} {case}: {row['verdict']}, {interval}", soft_wrap=True)
    if not wrong.is_empty():
        raise typer.Exit(MISSED)


if __name__ == "__main__":
    run_command(main)
