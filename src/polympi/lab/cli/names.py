"""Completion of values on the command line: names of stacks, bindings, benchmarks, profiles, result directories.

A shell asks while somebody types: nothing here may be slow, print, or fail.
"""

import contextlib
import importlib
from collections.abc import Callable, Iterable
from pathlib import Path

_Completion = Callable[[str], list[str]]


def _at(*places: str) -> list[str]:
    """The names at places such as ``catalogue:PAGES``, imported only now, so that no command waits for others."""
    names: list[str] = []
    for place in places:
        module, _, name = place.partition(":")
        found = getattr(importlib.import_module(f"polympi.lab.{module}"), name)
        names += [found] if isinstance(found, str) else found() if callable(found) else found
    return names


def _quietly(names: Callable[[], Iterable[str]]) -> list[str]:
    with contextlib.suppress(Exception):  # errors are reported when the command runs
        return list(names())
    return []


def _one(*places: str) -> _Completion:
    def complete(incomplete: str) -> list[str]:
        return [name for name in _quietly(lambda: _at(*places)) if name.startswith(incomplete)]

    return complete


def _several(*places: str) -> _Completion:
    """Completes the last name of a comma-separated list, with those that the list does not have yet."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        names = [name for name in _quietly(lambda: _at(*places)) if name not in before.split(",")]
        return [f"{before}{comma}{name}" for name in names if name.startswith(last)]

    return complete


complete_stacks = _several("stacks.stack:installed_stacks")
complete_installed_stack = _one("stacks.stack:installed_stacks")
complete_new_stack = _one("stacks.known:WHEELS", "stacks.known:SYSTEM")
complete_clusters = _one("cluster.state:known_clusters")
complete_bindings = _several("bindings.manifest:load_bindings", "bindings.manifest:ALL")
complete_source = _one("bindings.manifest:needed_sources")
complete_given_source = _one("bindings.given:given_sources")
complete_benches = _several("catalogue:BENCHMARKS")
complete_tools = _several("tools.known:TOOLS", "bindings.manifest:ALL", "run.request:NO_TOOL")
complete_scalings = _one("records:SCALINGS")
complete_placements = _several("plan.placement_names:MEANINGS")
complete_pages = _one("catalogue:PAGES")
complete_schedulers = _one("submit.scheduler:SCHEDULERS")


def complete_profiles(incomplete: str) -> list[tuple[str, str]]:
    """Names of profiles, each with its summary."""
    from polympi.lab.plan.profiles import PROFILES

    return [(p.name, p.summary) for p in PROFILES.values() if p.name.startswith(incomplete)]


def complete_studies(incomplete: str) -> list[tuple[str, str]]:
    """Names of studies, each with its summary."""
    from polympi.lab.plan.studies import STUDIES

    return [(s.name, s.summary) for s in STUDIES.values() if s.name.startswith(incomplete)]


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
