"""Names of the places that call MPI; native ones get file and line from debugging information, if there is any."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from polympi.lab.audit.files import RankFile
from polympi.lab.audit.model import Site

_LOOKUP_S = 30.0  # for addr2line to read what may be gigabytes of debugging information


class SiteNames:
    """The sites of files, each address looked up once."""

    def __init__(self) -> None:
        """Begin without any."""
        self._lines: dict[tuple[str, int], Site | None] = {}
        self._known: dict[Path, list[Site]] = {}
        self._addr2line = shutil.which("addr2line")

    def of(self, file: RankFile) -> list[Site]:
        """The sites of a rank, in the order of its table, as far as it has got."""
        known = self._known.setdefault(file.path, [])
        records = file.sites[len(known) :].copy()
        if not len(records):
            return known
        names = {int(number): file.text(int(number)) for number in np.unique(records["file"])}
        self._look_up({(names[int(r["file"])], int(r["address"])) for r in records if not r["python"]})
        for record in records:
            name, function, line = names[int(record["file"])], file.text(int(record["function"])), int(record["line"])
            found = None if record["python"] else self._lines.get((name, int(record["address"])))
            known.append(found or Site(name, function, line if line > 0 else None))
        return known

    def _look_up(self, addresses: Iterable[tuple[str, int]]) -> None:
        wanted: dict[str, list[int]] = {}
        for program, address in addresses:
            if (program, address) not in self._lines and program and self._addr2line:
                wanted.setdefault(program, []).append(address)
        for program, of_program in wanted.items():
            for address, site in zip(of_program, self._ask(program, of_program), strict=True):
                self._lines[program, address] = site

    def _ask(self, program: str, addresses: list[int]) -> list[Site | None]:
        # The address is the one that the call returns to: the byte before it is in the line of the call.
        words = [hex(max(0, address - 1)) for address in addresses]
        command = [str(self._addr2line), "-f", "-C", "-e", program]
        try:
            said = subprocess.run(
                command, input="\n".join(words), capture_output=True, text=True, check=False, timeout=_LOOKUP_S
            ).stdout.splitlines()
        except (OSError, subprocess.TimeoutExpired):
            said = []
        if len(said) != 2 * len(addresses):
            return [None] * len(addresses)
        return [_site(function, place) for function, place in zip(said[::2], said[1::2], strict=True)]


def _site(function: str, place: str) -> Site | None:
    file, _, line = place.split(" (", 1)[0].rpartition(":")
    if not line.isdigit() or line == "0":
        return None
    return Site(file, "" if function == "??" else function, int(line))
