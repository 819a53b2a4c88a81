"""Completion of values on the command line: names of stacks, bindings, benchmarks, profiles, result directories.

A shell asks while somebody types: nothing here may be slow, print, or fail.
"""

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path


def _quietly(names: Callable[[], Iterable[str]]) -> list[str]:
    with contextlib.suppress(Exception):  # errors are reported when the command runs
        return list(names())
    return []


def _last_of_list(incomplete: str, names: Iterable[str]) -> list[str]:
    """The ways to complete the last item of a comma-separated list, without the names it has already."""
    before, comma, last = incomplete.rpartition(",")
    given = before.split(",")
    return [f"{before}{comma}{name}" for name in names if name.startswith(last) and name not in given]


def complete_stacks(incomplete: str) -> list[str]:
    """Names of installed stacks."""
    return _last_of_list(incomplete, _quietly(_installed))


def complete_new_stack(incomplete: str) -> list[str]:
    """Names of stacks that can be installed."""
    from polympi.lab.stacks.known import SYSTEM, WHEELS

    return [name for name in (*WHEELS, SYSTEM) if name.startswith(incomplete)]


def complete_installed_stack(incomplete: str) -> list[str]:
    """Name of one installed stack."""
    return [name for name in _quietly(_installed) if name.startswith(incomplete)]


def complete_clusters(incomplete: str) -> list[str]:
    """Names of clusters that are up, or of which something is left."""

    def names() -> Iterable[str]:
        from polympi.lab.cluster.state import known_clusters

        return known_clusters()

    return [name for name in _quietly(names) if name.startswith(incomplete)]


def complete_bindings(incomplete: str) -> list[str]:
    """Names of bindings."""

    def names() -> Iterable[str]:
        from polympi.lab.bindings.manifest import ALL, load_bindings

        return [*load_bindings(), ALL]

    return _last_of_list(incomplete, _quietly(names))


def complete_benches(incomplete: str) -> list[str]:
    """Names of benchmarks."""
    from polympi.lab.catalogue import BENCHMARKS

    return _last_of_list(incomplete, BENCHMARKS)


def complete_tools(incomplete: str) -> list[str]:
    """Names of third-party tools."""

    def names() -> Iterable[str]:
        from polympi.lab.bindings.manifest import ALL
        from polympi.lab.run.request import NO_TOOL
        from polympi.lab.tools.known import TOOLS

        return [*TOOLS, ALL, NO_TOOL]

    return _last_of_list(incomplete, _quietly(names))


def complete_scalings(incomplete: str) -> list[str]:
    """What can happen to a problem where there are several numbers of ranks."""
    from polympi.lab.records import SCALINGS

    return [name for name in SCALINGS if name.startswith(incomplete)]


def complete_placements(incomplete: str) -> list[str]:
    """Names of placements."""
    from polympi.lab.plan.placement_names import MEANINGS

    return _last_of_list(incomplete, MEANINGS)


def complete_pages(incomplete: str) -> list[str]:
    """What message buffers can lie on."""
    from polympi.lab.catalogue import PAGES

    return [name for name in PAGES if name.startswith(incomplete)]


def complete_profiles(incomplete: str) -> list[tuple[str, str]]:
    """Names of profiles, each with what it is."""
    from polympi.lab.plan.profiles import PROFILES

    return [(p.name, p.summary) for p in PROFILES.values() if p.name.startswith(incomplete)]


def complete_studies(incomplete: str) -> list[tuple[str, str]]:
    """Names of studies, each with what it is."""
    from polympi.lab.plan.studies import STUDIES

    return [(s.name, s.summary) for s in STUDIES.values() if s.name.startswith(incomplete)]


def complete_schedulers(incomplete: str) -> list[str]:
    """Names of batch systems."""
    from polympi.lab.submit.scheduler import SCHEDULERS

    return [name for name in SCHEDULERS if name.startswith(incomplete)]


def complete_jobs(incomplete: str) -> list[str]:
    """Folders of jobs that complete the typed path."""

    def found() -> Iterable[str]:
        before, slash, _ = incomplete.rpartition("/")
        places = sorted(Path((before + slash) or ".").expanduser().glob("*/job.json"))
        return [path for place in places if (path := f"{before}{slash}{place.parent.name}").startswith(incomplete)]

    return _quietly(found)


def complete_results(incomplete: str) -> list[str]:
    """Result directories below what is written, and directories that may hold some."""

    def found() -> Iterable[str]:
        before, slash, _ = incomplete.rpartition("/")
        folder = Path((before + slash) or ".").expanduser()
        places = sorted(place for place in folder.iterdir() if place.is_dir() and not place.name.startswith("."))
        paths = {f"{before}{slash}{place.name}": (place / "run.json").is_file() for place in places}
        matching = {path: is_run for path, is_run in paths.items() if path.startswith(incomplete)}
        return [path for path, is_run in matching.items() if is_run] or [f"{path}/" for path in matching]

    return _quietly(found)


def _installed() -> Iterable[str]:
    from polympi.lab.stacks.stack import installed_stacks

    return installed_stacks()
