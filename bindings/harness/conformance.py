"""Conformance vectors: plans, messages and samples that a harness in any language tests itself against.

``generate.py --vectors FOLDER`` writes them out; ``vectors/README.md`` says how to use them. The messages are computed
here by the formulas of ``docs/protocol.md``, and by nothing that a harness uses.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

from polympi.lab.catalogue import BENCHMARKS, GROUP_BYTES, MEASURED, PAYLOADS, face_bytes, halo_bytes, problem_bytes

HEAD = ["polympi-plan 2", "window 64", "pages huge", "start /a folder/libpolympi_harness.so"]
PLACES = [(0, 0, 0), (0, 1, 0), (41, 5, 63), (300, 2, 7)]  # case, origin, slot
SIZES = {"bytes": (0, 1, 8, 257, 600), "float64": (0, 8, 80), "int32": (0, 4, 40), "array": (8, 80)}

SAMPLES = """polympi-samples 2
binding x
mpi An MPI Version: 1.2.3, of 4 May
ranks 2
threads multiple
clock 1 24.6
host node7
startup 81231234567 41000000 52000000
memory 31457280 36700160
start 108 0
pages 8388608 8388608
case 0
valid 0 ok
batch 0 1601234 1599876 9223372036854775807
event 0 1533
case 1
skip 1 x has no ready mode.
case 2
valid 2 failed message 0 that rank 1 received: byte 7 is 238 instead of 1
case 3
valid 3 ok
repeated 3 2
event 3 0 1491 1502
clocks 1250
end
"""


# Records that make a plan none, each for one reason.
REFUSED_RECORDS = {
    "unknown-benchmark": "case 0 gossip standard bytes 8 1 1 1 1",
    "unknown-mode": "case 0 latency shouted bytes 8 1 1 1 1",
    "unknown-completion": "case 0 latency standard-persistently bytes 8 1 1 1 1",
    "completion-of-sendrecv": "case 0 latency sendrecv-persistent bytes 8 1 1 1 1",
    "mode-of-another-benchmark": "case 0 bcast ready bytes 8 1 1 1 1",
    "mode-of-faces": "case 0 latency rows float64 32 1 1 1 1",
    "standard-faces": "case 0 faces standard float64 32 1 1 1 1",
    "unknown-payload": "case 0 latency standard pixels 8 1 1 1 1",
    "part-of-a-double": "case 0 latency standard float64 9 1 1 1 1",
    "empty-array": "case 0 latency standard array 0 1 1 1 1",
    "part-of-an-integer": "case 0 pingpong-int standard int32 6 1 1 1 1",
    "list-of-another-size": "case 0 object standard list 8 1 1 1 1",
    "part-of-a-layout": "case 0 datatype vector float64 40 1 1 1 1",
    "empty-layout": "case 0 datatype struct float64 0 1 1 1 1",
    "mode-of-datatype": "case 0 faces vector float64 32 1 1 1 1",
    "dict-of-another-size": "case 0 latency standard dict 8 1 1 1 1",
    "face-that-is-no-square": "case 0 faces rows float64 808 1 1 1 1",
    "smallest-face": f"case 0 faces rows float64 {face_bytes(1)} 1 1 1 1",
    "largest-face": f"case 0 faces rows float64 {face_bytes(259)} 1 1 1 1",
    "faces-of-no-cube": "case 0 halo standard float64 384 1 1 1 1",
    "smallest-halo": f"case 0 halo standard float64 {halo_bytes(1)} 1 1 1 1",
    "largest-halo": f"case 0 halo standard float64 {halo_bytes(257)} 1 1 1 1",
    "negative-size": "case 0 latency standard bytes -8 1 1 1 1",
    "size-with-a-unit": "case 0 latency standard bytes 8B 1 1 1 1",
    "a-count-too-few": "case 0 latency standard bytes 8 1 1 1",
    "a-count-too-many": "case 0 latency standard bytes 8 1 1 1 1 1",
    "two-spaces": "case 0 latency  standard bytes 8 1 1 1 1",
    "unknown-record": "whatever 1",
}


def write_vectors(folder: Path) -> None:
    """Write every vector into a folder, which may be new."""
    (folder / "plans-refused").mkdir(parents=True, exist_ok=True)
    refused = {f"plans-refused/{name}": text for name, text in refused_plans().items()}
    for name, text in {"plan": plan(), "messages": messages(), "samples": SAMPLES, **refused}.items():
        (folder / name).write_text(text, encoding="ascii")


def plan() -> str:
    """Every benchmark in every mode with every payload once, with counts that all differ."""
    cases = [
        f"{b.name} {mode} {payload} {size_of(b.name, payload)}" for b in MEASURED for mode, payload in b.combinations
    ]
    counted = [f"case {i} {case} {i} {i + 1} {i + 2} {i + 3}" for i, case in enumerate(cases)]
    return lines([*HEAD, *counted, "end"])


def size_of(benchmark: str, payload: str) -> int:
    """A size that the payload can have."""
    shaped = {"face": face_bytes(258), "halo": halo_bytes(256), "layout": 2 * GROUP_BYTES}
    if (shape := BENCHMARKS[benchmark].shape) in shaped:
        return shaped[shape]
    if dimensions := BENCHMARKS[benchmark].dimensions:
        return problem_bytes(4, dimensions)
    fixed = PAYLOADS[payload].bytes
    return fixed if fixed is not None else 2**33 if payload == "bytes" else 24


def refused_plans() -> dict[str, str]:
    """Plans that are no plans, each for one reason."""
    good = "case 0 latency standard bytes 8 1 1 1 1"
    records = {name: lines([*HEAD, record, "end"]) for name, record in REFUSED_RECORDS.items()}
    return records | {
        "empty": "",
        "another-version": lines(["polympi-plan 3", *HEAD[1:], "end"]),
        "something-else": lines(["polympi-samples 2", *HEAD[1:], "end"]),
        "cut-off": lines([*HEAD, good]),
        "no-window": lines([HEAD[0], "window 0", *HEAD[2:], good.replace("latency", "bandwidth"), "end"]),
        "window-that-is-no-number": lines([HEAD[0], "window many", *HEAD[2:], good, "end"]),
        "unknown-pages": lines([*HEAD[:2], "pages large", HEAD[3], good, "end"]),
    }


def messages() -> str:
    """Messages, one a line: case, origin, slot, payload, bytes, and the content in hexadecimal digits."""
    found = []
    for payload in PAYLOADS.values():
        if payload.name == "problem":
            continue  # no message: an application sends what it computes
        sizes = SIZES[payload.name] if payload.bytes is None else (payload.bytes,)
        for case, origin, slot in PLACES:
            for size in sizes:
                content = message(payload.name, size, case, origin, slot)
                assert len(content) == size
                found.append(f"{case} {origin} {slot} {payload.name} {size} {content.hex()}".rstrip())
    return lines(found)


def message(payload: str, size: int, case: int, origin: int, slot: int) -> bytes:
    """What rank ``origin`` sends, as it lies in memory on a little-endian machine."""
    first = case + 11 * origin + 5 * slot
    integer = 2**40 + 37 * case + 11 * origin + 5 * slot
    digits = b"%04d%04d" % (origin % 10000, slot % 10000)
    doubles = [0.5 * i + first for i in range(size // 8)]
    makers: dict[str, Callable[[], bytes]] = {
        "none": lambda: b"",
        "bytes": lambda: bytes(
            (131 * i + 17 * (i // 256) + 37 * case + 11 * origin + 5 * slot) % 256 for i in range(size)
        ),
        "float64": lambda: struct.pack(f"<{size // 8}d", *doubles),
        "array": lambda: struct.pack(f"<{size // 8}d", *doubles),
        "int32": lambda: struct.pack(f"<{size // 4}i", *(3 * i + first for i in range(size // 4))),
        "int": lambda: struct.pack("<q", integer),
        "float": lambda: struct.pack("<d", first + 0.5),
        "dict": lambda: struct.pack("<qd8s", origin, first + 0.5, digits),
        "instance": lambda: struct.pack("<qd8s", origin, first + 0.5, digits),
        "string": lambda: bytes(ord("a") + (i + first) % 26 for i in range(size)),
        "list": lambda: struct.pack(f"<{size // 8}q", *(integer + i for i in range(size // 8))),
        "map": lambda: b"".join(struct.pack("<8sd", b"key%05d" % i, i + first + 0.5) for i in range(size // 16)),
        "nested": lambda: struct.pack("<8sq16d", digits, 2**40 + first, *doubles[:16]),
    }
    return makers[payload]()  # a KeyError: nobody has said what such a message holds


def lines(parts: list[str]) -> str:
    """A text that ends every line."""
    return "".join(f"{part}\n" for part in parts)
