"""Write the parts of harnesses and pages that are made from the catalogue and manifests: ``make catalogue``.

The facts are in ``src/polympi/lab/catalogue.toml`` and in the manifests of the bindings. What is made of them is kept
in the repository, so that a program in any language builds without Python and a reader finds the tables where they
belong; a test sees that they are up to date.

Usage: generate.py [--check]     (exit code 1 if a file differs)
       generate.py --vectors FOLDER     (writes the conformance vectors instead)
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

from binding_table import absent_table, binding_table, reason_table
from conformance import write_vectors
from served import mistakes

from polympi.lab.catalogue import (
    BENCHMARKS,
    COMPLETIONS,
    FACE_MODES,
    HALO_FACES,
    LARGEST_FACE_EDGE,
    LAYOUTS,
    MEASURED,
    PAGES,
    PAYLOADS,
    SEND_MODES,
    SMALLEST_EDGE,
    VARIANTS,
    Benchmark,
    Payload,
)

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
ORIGIN = "Made from src/polympi/lab/catalogue.toml by bindings/harness/generate.py: make catalogue."
KINDS = ("pair", "joint", "rooted", "cycle", "application")
MODES = list(dict.fromkeys(mode for benchmark in MEASURED for mode in benchmark.modes))
LARGEST_INT64 = 2**63 - 1
LINE = 110  # characters at most
NO_BREAK = "\u00a0"  # a space where no line ends


def made() -> dict[Path, str]:
    """Every file that is made of the catalogue and of the manifests, with its text."""
    protocol, bindings = ROOT / "docs" / "protocol.md", ROOT / "docs" / "bindings.md"
    return {
        HERE / "c" / "polympi_catalogue.h": c_header(),
        HERE / "c" / "catalogue.c": c_tables(),
        HERE / "python" / "catalogue.py": python_module(),
        protocol: with_tables(
            protocol, "catalogue.toml", {"benchmarks": benchmark_table(), "payloads": payload_table()}
        ),
        bindings: with_tables(
            bindings,
            "the manifests",
            {"bindings": binding_table(), "reasons": reason_table(), "absent": absent_table()},
        ),
    }


def c_header() -> str:
    """The constants of the C harness."""
    groups = [
        ("The benchmarks.", [b.name for b in MEASURED], "BENCHMARKS"),
        ("Who takes part in a benchmark, and how it is timed.", KINDS, "KINDS"),
        ("What a mode of latency asks for: the call that sends, and how it completes.", SEND_MODES, "SEND_MODES"),
        ("", COMPLETIONS, "COMPLETIONS"),
        ("A mode of faces: how a face of a cube in C order lies in memory.", FACE_MODES, "FACE_MODES"),
        (
            "A mode of datatype: how a message lies in memory.",
            [f"layout_{layout.mode}" for layout in LAYOUTS],
            "LAYOUTS",
        ),
        (
            "A mode of an application, or how an access of a window is completed.",
            [f"variant_{variant}" for variant in VARIANTS],
            "VARIANTS",
        ),
        ("The payloads.", PAYLOADS, "PAYLOADS"),
        ("What message buffers lie on.", [f"{pages}_pages" for pages in PAGES], "PAGES"),
    ]
    parts = [
        "/* clang-format off */",
        f"/* What can be measured. {ORIGIN} */",
        "#ifndef POLYMPI_CATALOGUE_H",
        "#define POLYMPI_CATALOGUE_H",
    ]
    for comment, names, number in groups:
        parts += ["", *([f"/* {comment} */"] if comment else []), "enum {"]
        parts.append(wrapped(" ".join(f"{constant(name)}," for name in names), 4, 4))
        parts += [f"    POLYMPI_{number} /* their number */", "};"]
    parts += ["", f"enum {{ POLYMPI_MODES = {len(MODES)}, POLYMPI_LARGEST_FACE_EDGE = {LARGEST_FACE_EDGE} }};"]
    parts += [
        f"enum {{ POLYMPI_LAYOUT_GROUP = {len(LAYOUTS[0].sent)} /* elements that a group of a layout sends */ }};",
        f"enum {{ POLYMPI_HALO_FACES = {HALO_FACES} /* of a cube */ }};",
        f"enum {{ POLYMPI_SMALLEST_EDGE = {SMALLEST_EDGE} /* of an application's arrays */ }};",
        "",
    ]
    return "\n".join([*parts, "#endif", ""])


def c_tables() -> str:
    """What the C harness looks up: which benchmark has which modes, payloads and sizes."""
    parts = ["/* clang-format off */", f"/* {ORIGIN} */", '#include "catalogue.h"', ""]
    parts += ["#define BIT(place) (UINT64_C(1) << (place))", ""]
    parts.append("const struct benchmark_facts benchmark_facts[POLYMPI_BENCHMARKS] = {")
    for benchmark in MEASURED:
        modes = " | ".join(f"BIT({MODES.index(mode)})" for mode in benchmark.modes)
        payloads = " | ".join(f"BIT({constant(payload)})" for payload in benchmark.payloads)
        numbers = (*benchmark.sends, *benchmark.gets)
        traffic = ", ".join(str(one) if isinstance(one, int) else f"{one.upper()}_MESSAGES" for one in numbers)
        basic = " | ".join(f"BIT({MODES.index(mode)})" for mode in benchmark.basic_modes) or "0"
        flags = ", ".join(str(int(flag)) for flag in (benchmark.apiece, benchmark.uneven, benchmark.one_buffer))
        origin = f"FROM_{benchmark.origin.upper()}, {flags}"
        origin += f", {benchmark.shape.upper()}, {benchmark.dimensions}"
        masks = f"{modes}, {basic}, {payloads}"
        facts = f'{{"{benchmark.name}", {constant(benchmark.kind)}, {masks}, {traffic}, {origin}}},'
        parts.append(f"    [{constant(benchmark.name)}] =")
        parts += textwrap.wrap(facts, 110, initial_indent=" " * 8, subsequent_indent=" " * 9)
    parts += ["};", "", "const struct mode_facts mode_facts[POLYMPI_MODES] = {"]
    parts += [f'    {{"{mode}", {", ".join(constant(part) for part in mode_parts(mode))}}},' for mode in MODES]
    parts += ["};", "", "const struct layout_facts layout_facts[POLYMPI_LAYOUTS] = {"]
    for layout in LAYOUTS:
        places = ", ".join(map(str, layout.sent))
        parts.append(f"    [{constant(f'layout_{layout.mode}')}] = {{{layout.period}, {{{places}}}}},")
    parts += ["};", "", "const struct payload_facts payload_facts[POLYMPI_PAYLOADS] = {"]
    for payload in PAYLOADS.values():
        element, least, most = sizes(payload)
        largest = "INT64_MAX" if most == LARGEST_INT64 else str(most)
        parts.append(f'    [{constant(payload.name)}] = {{"{payload.name}", {element}, {least}, {largest}}},')
    parts += ["};", "", "const char *const page_names[POLYMPI_PAGES] = {"]
    parts += [f'    [{constant(pages)}_PAGES] = "{pages}",' for pages in PAGES]
    return "\n".join([*parts, "};", ""])


PYTHON_HEAD = f"""\"\"\"What can be measured. {ORIGIN}\"\"\"

from benchmark import Benchmark

# fmt: off
"""
PYTHON_TAIL = """# fmt: on

KINDS = {name: benchmark.kind for name, benchmark in BENCHMARKS.items()}
MODES = {name: benchmark.modes for name, benchmark in BENCHMARKS.items()}
PAYLOADS = {name: benchmark.payloads for name, benchmark in BENCHMARKS.items()}
SENDS = {name: benchmark.sends for name, benchmark in BENCHMARKS.items()}
GETS = {name: benchmark.gets for name, benchmark in BENCHMARKS.items()}
ORIGINS = {name: benchmark.origin for name, benchmark in BENCHMARKS.items()}
SHAPES = {name: benchmark.shape for name, benchmark in BENCHMARKS.items() if benchmark.shape != "contiguous"}
CALLS = {name: benchmark.call for name, benchmark in BENCHMARKS.items() if benchmark.call}
DIMENSIONS = {name: benchmark.dimensions for name, benchmark in BENCHMARKS.items() if benchmark.dimensions}
"""


def python_module() -> str:
    """The module of the Python harness."""
    basic = python_tuple(b.name for b in MEASURED if b.basic_modes)
    parts = [
        f"PAGES = {python_tuple(PAGES)}",
        f"LARGEST_FACE_EDGE = {LARGEST_FACE_EDGE}",
        f"HALO_FACES = {HALO_FACES}",
        f"SMALLEST_EDGE = {SMALLEST_EDGE}",
        f"WINDOWED = {python_tuple(b.name for b in MEASURED if b.windowed)}",
        "# Every program is expected to have loops for them.",
        wrapped(f"BASIC = {basic}", 0, 4),
        "# Each destination gets its own.",
        f"APIECE = {python_tuple(b.name for b in MEASURED if b.apiece)}",
        f"UNEVEN = {python_tuple(b.name for b in MEASURED if b.uneven)}  # pieces differ in size",
        f"CREATING = {python_tuple(b.name for b in MEASURED if b.creates)}  # the call makes a communicator",
        "# What data go through that do not go from rank to rank.",
        f"THROUGH = {python_dict({b.name: b.through for b in MEASURED if b.through != 'messages'})}",
        f"ONE_BUFFER = {python_tuple(b.name for b in MEASURED if b.one_buffer)}  # to send from and receive into",
        f"ONE_SIDED = {python_tuple(b.name for b in MEASURED if b.one_sided)}  # rank 0 accesses a window of rank 1",
        f"NONBLOCKING = {python_tuple(b.name for b in MEASURED if b.nonblocking)}  # a call and a wait",
        "",
        "BENCHMARKS = {",
    ]
    for b in MEASURED:
        call = b.mpi_call if b.collective or b.one_sided else ""
        texts = [f'"{b.kind}"', *map(python_tuple, (b.modes, b.payloads, b.sends, b.gets))]
        texts += [f'"{b.origin}"', f'"{b.shape}"', f'"{call}"', str(b.dimensions)]
        # A row is broken between fields, but for the modes of latency, which take more than a line.
        fields = (text if len(text) > LINE else text.replace(" ", NO_BREAK) for text in texts)
        parts.append(wrapped(f'"{b.name}": Benchmark({", ".join(fields)}),', 4, 8).replace(NO_BREAK, " "))
    parts += ["}", "", "# Bytes of an element, of the smallest and of the largest message.", "SIZES = {"]
    parts += [f'    "{payload.name}": {python_tuple(sizes(payload))},' for payload in PAYLOADS.values()]
    parts += [
        "}",
        "",
        "# A mode of datatype: elements of a group, and the places of those that are sent.",
        "LAYOUTS = {",
    ]
    parts += [f'    "{layout.mode}": ({layout.period}, {python_tuple(layout.sent)}),' for layout in LAYOUTS]
    return PYTHON_HEAD + "\n".join([*parts, "}", PYTHON_TAIL])


def python_tuple(values: Iterable[object]) -> str:
    """A tuple as ruff formats it."""
    parts = [f'"{value}"' if isinstance(value, str) else str(value) for value in values]
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def python_dict(values: dict[str, str]) -> str:
    """A dictionary of texts as ruff formats it."""
    return "{" + ", ".join(f'"{key}": "{value}"' for key, value in values.items()) + "}"


def wrapped(text: str, first: int, others: int) -> str:
    """A text in lines, of which the first and all others are indented so far."""
    begin, begins = " " * first, " " * others
    return textwrap.fill(text, LINE, initial_indent=begin, subsequent_indent=begins, break_on_hyphens=False)


def with_tables(page: Path, origin: str, tables: dict[str, str]) -> str:
    """A page of the documentation with its tables made again."""
    text = page.read_text(encoding="utf-8")
    for name, table in tables.items():
        begin, end = f"<!-- {name}: from {origin}, make catalogue -->", f"<!-- end of {name} -->"
        before, begins, rest = text.partition(begin)
        _, ends, after = rest.partition(end)
        if not (begins and ends):
            sys.exit(f"{page} has no place for the table of {name}: '{begin}' ... '{end}'.")
        text = f"{before}{begin}\n\n{table}\n\n{end}{after}"
    return text


def benchmark_table() -> str:
    """One line for every benchmark, and one for each mode that is an exception."""
    lines = ["| benchmark | kind | payloads | one iteration | operations in it |", "|---|---|---|---|---|"]
    for b in MEASURED:
        payloads = " ".join(f"`{payload}`" for payload in b.payloads)
        usual = next(mode for mode in b.modes if mode not in b.exceptions)
        lines.append(f"| `{b.name}` | {b.kind} | {payloads} | {b.iteration} | {operations(b, usual)} |")
        lines += [
            f"| `{b.name} {mode}` | {b.kind} | {payloads} | {other.iteration} | {operations(b, mode)} |"
            for mode, other in b.exceptions.items()
        ]
    return "\n".join(lines)


def operations(benchmark: Benchmark, mode: str) -> str:
    """Operations of an iteration, in windows W where it is windowed, and ranks N in a cycle."""
    if benchmark.kind == "cycle":
        return "N"
    if not benchmark.windowed:
        return str(benchmark.operations(mode))
    windows = benchmark.operations(mode) // BENCHMARKS["bandwidth"].operations("standard")
    return "W" if windows == 1 else f"{windows} W"


def payload_table() -> str:
    """One line for every payload."""
    lines = ["| payload | what it is | bytes | what C sends |", "|---|---|---|---|"]
    for payload in PAYLOADS.values():
        size = "any" if payload.element == 1 else f"multiples of {payload.element}"
        if payload.bytes is not None:
            size = str(payload.bytes)
        elif payload.least:
            size += f", at least {payload.least}"
        lines.append(f"| `{payload.name}` | {payload.what} | {size} | {payload.in_c} |")
    return "\n".join(lines)


def constant(name: str) -> str:
    """The name of a constant in C."""
    return f"POLYMPI_{name.upper().replace('-', '_')}"


def mode_parts(mode: str) -> tuple[str, str, str, str, str]:
    """Send mode, completion, place of the face, layout and variant that a mode means; the first where it means none."""
    layouts = [layout.mode for layout in LAYOUTS]
    variant = f"variant_{mode if mode in VARIANTS else VARIANTS[0]}"
    face = mode if mode in FACE_MODES else FACE_MODES[0]
    layout = mode if mode in layouts else layouts[0]
    if mode in (*FACE_MODES, *layouts, *VARIANTS):
        return SEND_MODES[0], COMPLETIONS[0], face, f"layout_{layout}", variant
    send_mode, _, completion = mode.partition("-")
    return send_mode, completion or COMPLETIONS[0], face, f"layout_{layout}", variant


def sizes(payload: Payload) -> tuple[int, int, int]:
    """Bytes of an element, of the smallest and of the largest message."""
    if payload.bytes is not None:
        return max(payload.bytes, 1), payload.bytes, payload.bytes
    return payload.element, payload.least, LARGEST_INT64


def main() -> int:
    """Write what differs, or only say it; nothing if the harnesses cannot serve a row of the catalogue."""
    if unserved := mistakes(MEASURED):
        sys.exit("\n".join(unserved))
    if sys.argv[1:2] == ["--vectors"]:
        write_vectors(Path(sys.argv[2]))
        return 0
    differing = [
        (path, text) for path, text in made().items() if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in differing:
        print(path.relative_to(ROOT))
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
    return int("--check" in sys.argv[1:] and bool(differing))


if __name__ == "__main__":
    sys.exit(main())
