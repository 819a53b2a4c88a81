"""Where a program calls MPI, as briefly as it can be said: the file's name, and of namesakes as much as it takes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

from polympi.lab.audit.model import Site

_TAG = re.compile(r"\.(cpython|pypy)-?\d+[^/]*(?=\.so$)|\.abi3(?=\.so$)")


class Places:
    """The short names of the sites of an audit."""

    def __init__(self, sites: Iterable[Site]) -> None:
        self._files = _shortest({site.file for site in sites})

    def file(self, site: Site) -> str:
        """The file of a site without the folders that distinguish it from no other, nor Python's tag of a platform."""
        return _TAG.sub("", self._files.get(site.file, site.file))

    def short(self, site: Site) -> str:
        """``solver.py:42``, or ``step in a.out`` where no line is known."""
        file = self.file(site)
        if site.line is not None:
            return f"{file}:{site.line}"
        return f"{site.function} in {file}" if site.function else file or "an unknown place"


def _shortest(files: set[str]) -> dict[str, str]:
    """Each path's shortest end that no other path has."""
    names: dict[str, str] = {}
    pending, depth = set(files), 1
    while pending:
        ends: dict[str, list[str]] = {}
        for file in pending:
            ends.setdefault("/".join(PurePath(file).parts[-depth:]), []).append(file)
        alone = {members[0]: end for end, members in ends.items() if len(members) == 1}
        whole = {file: file for file in pending if len(PurePath(file).parts) <= depth}
        names |= whole | alone
        pending -= names.keys()
        depth += 1
    return names
