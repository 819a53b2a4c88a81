"""Plan and samples that go with a launch, for hosts that do not see the result directory.

The plan is an argument of the command that each rank starts with, since every launcher hands arguments on. The samples
come back in what rank 0 prints after its program has ended, since every launcher shows that. So neither needs anything
but ``sh``, ``base64``, ``gzip`` and ``mktemp`` on the hosts.
"""

import base64
import binascii
import contextlib
import dataclasses
import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path

from polympi.lab.process import TAIL_BYTES, TAIL_LINES, Ended

MARK = "polympi-samples:"  # in front of each line of samples, whatever other ranks print between them
# $0 is the plan, $1 its name, $2 that of the samples; the rest is the program. Each rank has its own folder. The
# program is waited for, since a shell hears no signal while it runs one. Lines are written one by one (sed -u), so that
# what other ranks print comes between them.
_RANK = f"""\
place=$(mktemp -d "${{TMPDIR:-/tmp}}/polympi-rank.XXXXXX") && cd "$place" || exit 97
trap 'cd /; rm -rf "$place"' EXIT
trap 'exit 143' TERM INT HUP
printf %s "$0" | base64 -d | gzip -dc >"$1" || exit 98
samples=$2
shift 2
"$@" &
program=$!
trap 'kill "$program"; exit 143' TERM INT HUP
wait "$program"
code=$?
[ ! -f "$samples" ] || gzip -c "$samples" | base64 | sed -u 's/^/{MARK} /'
exit $code
"""
_MISSING = {
    97: "a rank could not make a folder in $TMPDIR",
    98: "a rank could not unpack its plan with base64 and gzip",
}


def carried_command(program: Sequence[str], plan: Path, samples: str) -> list[str]:
    """The command of a rank that has its plan in it and prints its samples; the program names both without a folder."""
    packed = base64.b64encode(gzip.compress(plan.read_bytes(), mtime=0)).decode()
    return ["sh", "-c", _RANK, packed, plan.name, samples, *program]


def bring_back(ended: Ended, output: Path, samples: Path) -> Ended:
    """Write the samples that a launch has printed, damaged or not, and take them out of its last lines."""
    printed = output.read_text(errors="replace").splitlines()
    packed = [line.partition(MARK)[2] for line in printed if MARK in line]
    if packed:
        samples.write_bytes(_unpacked("".join(packed)))
    tail = "\n".join(line for line in printed if MARK not in line)[-TAIL_BYTES:].splitlines()[-TAIL_LINES:]
    if ended.exit_code in _MISSING:
        tail.append(_MISSING[ended.exit_code])
    return dataclasses.replace(ended, tail="\n".join(tail))


def _unpacked(text: str) -> bytes:
    unpacking, data = zlib.decompressobj(wbits=31), b""  # 31: with the header of gzip
    with contextlib.suppress(binascii.Error, zlib.error):
        data = unpacking.decompress(base64.b64decode("".join(text.split())))
    return data
