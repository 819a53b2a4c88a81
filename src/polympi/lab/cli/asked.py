"""A request as a user writes it: options of ``polympi run``, turned into a request of the laboratory."""

import datetime
import os
import shlex
import sys
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path

import msgspec

from polympi.lab.bindings.manifest import Binding
from polympi.lab.cli.arguments import choose_pages, choose_ranks, choose_scaling, choose_seed, choose_sizes, split_list
from polympi.lab.cluster.state import cluster_of
from polympi.lab.errors import UsageError
from polympi.lab.plan.placements import placement_levels
from polympi.lab.plan.profiles import USUAL_PROFILE, get_profile
from polympi.lab.plan.settings import settings_of
from polympi.lab.plan.studies import get_study
from polympi.lab.records import Level
from polympi.lab.run.request import Request
from polympi.lab.stacks.launching import asked_launching
from polympi.lab.units import parse_duration

USUAL_RANKS = "2"
AUDIT = "audit"  # the setting with which ranks are recorded as by `polympi audit`
_MAY_CHANGE = ("time_limit", "launch_timeout")  # of a run that is continued; all else was settled when it began

_OPTIONS = {"settings": "--with"}  # whose names are not those of the fields


@dataclass(frozen=True)
class Asked:
    """The options as they were given; None for those that were not."""

    output: Path | None
    stack: str | None
    binding: str | None
    bench: str | None
    tool: str | None
    sizes: str | None
    ranks: str | None
    scaling: str | None
    settings: list[str] | None
    placement: str | None
    profile: str | None
    study: str | None
    pages: str | None
    hostfile: Path | None
    time_limit: str | None
    launch_timeout: str | None
    seed: int | None
    bindings_from: list[Path] | None
    launcher: str | None = None
    launcher_args: str | None = None
    env: list[str] | None = None
    by_network: bool | None = None
    carry_files: bool | None = None

    @property
    def time_limit_s(self) -> float | None:
        """Seconds of the time limit; None without one."""
        return None if self.time_limit is None else parse_duration(self.time_limit)

    @property
    def launch_timeout_s(self) -> float | None:
        """Seconds that a launch may take; None for as long as the profile lets it."""
        if self.launch_timeout is None:
            return None
        if (seconds := parse_duration(self.launch_timeout)) < 1:
            raise UsageError(f"--launch-timeout {self.launch_timeout} is too short: give launches a second at least.")
        return seconds

    def request(self, bindings: dict[str, Binding]) -> Request:
        """The request, stacks not yet chosen."""
        if self.output is not None and str(self.output) in ("", "."):
            raise UsageError("--output names nothing: give a new directory, or leave the option out.")
        profile = get_profile(USUAL_PROFILE if self.profile is None else self.profile)
        return Request(
            output=self.output or Path(f"polympi-run-{datetime.datetime.now():%Y%m%d-%H%M%S}"),
            profile=profile if self.study is None else get_study(self.study).applied_to(profile),
            study=self.study or "",
            sizes=None if self.sizes is None else choose_sizes(self.sizes),
            ranks=choose_ranks(USUAL_RANKS if self.ranks is None else self.ranks),
            scaling=choose_scaling(self.scaling),
            time_limit_s=self.time_limit_s,
            launch_timeout_s=self.launch_timeout_s,
            stacks=(),
            bindings=bindings,
            wanted=None if self.binding is None else split_list(self.binding, "--binding"),
            benches=[] if self.bench is None else split_list(self.bench, "--bench"),
            tools=None if self.tool is None else split_list(self.tool, "--tool"),
            seed=choose_seed(self.seed),
            pages=choose_pages(self.pages),
            hostfile=self.hostfile,
            cluster=None if self.hostfile is None else cluster_of(self.hostfile),
            command=["polympi", *(os.fsencode(word).decode(errors="replace") for word in sys.argv[1:])],
            bindings_from=self.bindings_from or (),
            levels=self._levels(),
            launching=asked_launching(
                self.launcher,
                self.launcher_args,
                self.env or (),
                by_network=bool(self.by_network),
                carried=bool(self.carry_files),
            ),
        )

    def _levels(self) -> list[Level]:
        """The levels of factors, the base first; none if there is nothing to compare but bindings."""
        settings = settings_of([_recorded() if text == AUDIT else text for text in self.settings or []])
        if self.placement is None:
            return [Level(), *settings] if settings else []
        placements = placement_levels(split_list(self.placement, "--placement"))
        base = placements[0].placement
        for setting in settings:
            if setting.name in [one.name for one in placements]:
                raise UsageError(f"--with and --placement both name '{setting.name}': give the setting another name.")
        return [*placements, *(msgspec.structs.replace(setting, placement=base) for setting in settings)]

    def refuse_changes(self, directory: Path) -> None:
        """Make sure that nothing is asked of a run that is continued but what may change."""
        given = [
            f.name for f in fields(self) if getattr(self, f.name) not in (None, [], False) and f.name not in _MAY_CHANGE
        ]
        if given:
            options = ", ".join(_OPTIONS.get(name, f"--{name.replace('_', '-')}") for name in given)
            raise UsageError(
                f"With --resume the run continues as '{directory / 'run.json'}' recorded it: leave out {options}, "
                "or begin a new run."
            )


def _recorded() -> str:
    """The setting that records every rank, and keeps nothing: what remains is what recording costs."""
    from polympi.lab.audit.recorder import recorder_variables

    variables = recorder_variables(Path(tempfile.gettempdir()), keep=False)
    return " ".join([f"{AUDIT}:", *(f"{name}={shlex.quote(value)}" for name, value in variables.items())])
