"""In what hosts differ that should be alike, and what the clocks of each do."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from polympi.lab.environment.doctor import Check
from polympi.lab.survey.survey import Seen
from polympi.lab.survey.words import by_value, hosts_words, who_has_what
from polympi.lab.units import format_ns

# Clocks of the day that a time service keeps are within milliseconds of each other; files are compared by their times
# (make), and logins by tickets refuse minutes. A clock that nobody keeps is off by seconds.
MOST_OFFSET_S = 0.1
# Quartzes are made to within 100 parts in a million; more means that a time service is pulling the clock, or that it
# is a broken one, and then times of that host are wrong by as much.
MOST_DRIFT = 1e-4
SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies")  # a reading takes microseconds, by a system call
_WORD_OF_LIMIT = {
    "open_files": "open files",
    "locked_memory_bytes": "locked memory in bytes",
    "processes": "processes",
    "stack_bytes": "stack in bytes",
}

_SAME_PROGRAMS = (
    "Programs are built once and run on all hosts: install the same system on each, or build on the oldest."
)
_SAME_SETTINGS = "Ranks wait for each other, so the slowest host decides: set it alike on all hosts."
_SAME_HOSTS = "Ranks wait for each other, so the slowest host decides: measure on hosts of the same kind."


def _recorded(path: str) -> Callable[[Seen], Any]:
    def get(seen: Seen) -> Any:
        value: Any = seen.record
        for key in path.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    return get


def _own(name: str) -> Callable[[Seen], Any]:
    return lambda seen: seen.metadata.get(name)


def _gib(path: str) -> Callable[[Seen], Any]:
    """An amount of memory, rounded: the kernel keeps some megabytes of it, not the same on equal hosts."""

    def get(seen: Seen) -> Any:
        amount = _recorded(path)(seen)
        return None if amount is None else f"{max(1, round(amount / 2**30))} GiB"

    return get


# What is compared: the name of the check, its value on a host, what to do about a difference.
_COMPARED: tuple[tuple[str, Callable[[Seen], Any], str], ...] = (
    ("processor", _recorded("cpu.model"), _SAME_HOSTS),
    ("CPUs", _recorded("affinity.count"), "Ask for the same number of CPUs on each host, or give fewer slots to one."),
    ("memory of the hosts", _gib("memory.total_bytes"), _SAME_HOSTS),
    ("NUMA nodes", _recorded("numa.nodes"), _SAME_HOSTS),
    ("hardware threads", _recorded("cpu.smt"), _SAME_SETTINGS),
    ("frequency governor", _recorded("cpu.governor"), _SAME_SETTINGS),
    ("frequency boost", _recorded("cpu.boost"), _SAME_SETTINGS),
    ("hypervisor", _recorded("cpu.hypervisor"), _SAME_HOSTS),
    ("kernel", _own("kernel"), _SAME_PROGRAMS),
    ("system", _own("system"), _SAME_PROGRAMS),
    ("C library", _own("c_library"), _SAME_PROGRAMS),
    ("Python", _own("python"), "Use one environment that all hosts see, or the same version on each."),
    ("clock source", _own("clocksource"), _SAME_SETTINGS),
    ("huge pages", _recorded("memory.transparent_hugepages"), _SAME_SETTINGS),
    ("reserved huge pages", _recorded("memory.reserved_hugepages"), _SAME_SETTINGS),
    ("NUMA balancing", _recorded("numa.balancing"), _SAME_SETTINGS),
    (
        "TCP congestion control",
        _recorded("kernel.tcp_congestion_control"),
        "It decides how fast messages leave a host: set it alike (net.ipv4.tcp_congestion_control).",
    ),
    ("ptrace scope", _recorded("single_copy.ptrace_scope"), _SAME_SETTINGS),
    ("container", _recorded("limits.container"), _SAME_HOSTS),
    ("shared memory", _gib("shm.size_bytes"), "Give all hosts a /dev/shm of the same size."),
)


def differences(hosts: Sequence[Seen]) -> Iterator[Check]:
    """One warning for each property in which hosts differ, with who has what; one line where none does."""
    found = False
    compared = [*_COMPARED, *_limits()]
    for name, get, advice in compared:
        values = {seen.name: _word(get(seen)) for seen in hosts}
        if words := who_has_what(values):
            found = True
            odd = tuple(one for names in list(by_value(values).values())[1:] for one in names)
            yield Check(f"different {name}", "warning", f"{words}.", advice, odd)
    if not found and len(hosts) > 1:
        yield Check("differences", "ok", f"None: the hosts are alike in all {len(compared)} properties looked at.")


def _limits() -> list[tuple[str, Callable[[Seen], Any], str]]:
    advice = "Set it in /etc/security/limits.conf for logins, or in the batch system (Slurm: PropagateResourceLimits)."

    def of(name: str) -> Callable[[Seen], Any]:
        return lambda seen: limit_words((seen.metadata.get("limits") or {}).get(name, [None])[0])

    return [(f"limit of {_WORD_OF_LIMIT[name]}", of(name), advice) for name in _WORD_OF_LIMIT]


def limit_words(limit: int | None) -> str | None:
    """A limit as it is written: the kernel's largest number means none."""
    return None if limit is None else "unlimited" if limit < 0 or limit >= 2**63 - 1 else str(limit)


def _word(value: Any) -> str | None:
    return None if value is None else {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def clocks(hosts: Sequence[Seen]) -> Iterator[Check]:
    """The clocks of the hosts against that of the first: how far, how fast, and how well that is known."""
    first, *others = hosts
    if first.of_day is None or first.monotonic is None:
        return
    said = []
    for seen in others:
        if seen.of_day is None or seen.monotonic is None:
            continue
        when = seen.of_day.middle
        ns = seen.of_day.at(when) - first.of_day.at(when)
        error = seen.of_day.error_at(when) + first.of_day.error_at(when)
        if abs(ns) - error > MOST_OFFSET_S * 1e9:
            yield Check(
                "clock of the day",
                "warning",
                f"That of {seen.name} is {abs(ns) / 1e9:.3g} s {'ahead of' if ns > 0 else 'behind'} that of "
                f"{first.name}, ± {format_ns(error)}.",
                "Let a time service keep it: sudo apt install chrony; 'chronyc tracking' says how well it does.",
                (seen.name,),
            )
        drift, drift_error = seen.monotonic.drift - first.monotonic.drift, _drift_error(seen, first)
        if abs(drift) - drift_error > MOST_DRIFT:
            yield Check(
                "clock drifts",
                "warning",
                f"That of {seen.name} runs {abs(drift) * 1e6:.0f} parts in a million "
                f"{'faster' if drift > 0 else 'slower'} than that of {first.name}, ± {drift_error * 1e6:.0f}: times "
                "measured there are wrong by as much.",
                "A time service may be pulling it: wait until 'chronyc tracking' shows no skew; or see its clock "
                "source.",
                (seen.name,),
            )
        said.append((seen.name, ns, error, drift, drift_error))
    if said:
        _, ns, error, *_ = max(said, key=lambda one: abs(one[1]))
        *_, drift, drift_error = max(said, key=lambda one: abs(one[3]) + one[4])
        yield Check(
            "clocks",
            "ok",
            f"Against {first.name}, clocks of the day are off by up to {format_ns(abs(ns))} (± {format_ns(error)}), "
            f"and clocks drift by up to {abs(drift) * 1e6:.1f} parts in a million (± {drift_error * 1e6:.1f}).",
        )
    slow = [seen.name for seen in hosts if seen.metadata.get("clocksource") in SLOW_CLOCKS]
    if slow:
        yield Check(
            "slow clock",
            "warning",
            f"Reading the clock takes microseconds on {hosts_words(slow, len(hosts))}: its source is "
            f"{hosts[[seen.name for seen in hosts].index(slow[0])].metadata['clocksource']}.",
            "See what the kernel says of 'tsc' (dmesg), and choose it: clocksource=tsc on the kernel's command line.",
            tuple(slow),
        )


def _drift_error(one: Seen, other: Seen) -> float:
    assert one.monotonic is not None
    assert other.monotonic is not None
    return one.monotonic.drift_error + other.monotonic.drift_error
