"""What the recorded environment does to figures, each in one sentence with an advice of what to try."""

from collections.abc import Iterator, Mapping
from typing import Any

from polympi.lab.environment.memory import MOUNT_SHM
from polympi.lab.records import Finding
from polympi.lab.units import format_bytes

# CPUs in use: by a process that runs half of the time, say. The ranks of a spinning MPI leave no room for it unnoticed.
BUSY_LOAD = 0.5
SMALL_SHM_BYTES = 64 * 2**20  # what Docker gives a container unless --shm-size says otherwise


OVERSUBSCRIBED = "Oversubscribed"  # title of the finding that there are more ranks than processors


def environment_findings(environment: Mapping[str, Any], ranks: int, *, by_network: bool = False) -> list[Finding]:
    """Findings about an environment as recorded, warnings first; nothing is claimed of what is missing or null."""
    found = [
        *_placement(environment, ranks),
        *_quota(environment),
        *_clock(environment),
        *_competition(environment),
        *_copying(environment),
        *_pages(environment),
        *_numa(environment),
        *_container(environment),
        *_machine(environment),
        *_cluster(environment),
        *(_congestion(environment) if by_network else ()),
        *_unknown(environment),
    ]
    return sorted(found, key=lambda finding: finding.level != "warning")


def oversubscribed(environment: Mapping[str, Any], ranks: int) -> Finding | None:
    """The finding that there are more ranks than processors, if there are."""
    return next((finding for finding in _placement(environment, ranks) if finding.title == OVERSUBSCRIBED), None)


def available_cpus(environment: Mapping[str, Any]) -> float | None:
    """CPUs' worth of time that ranks can have: the allowed CPUs, or the container's quota if that is less."""
    known = [c for c in (_value(environment, "affinity.count"), _value(environment, "limits.cpu_quota_cpus")) if c]
    return min(known, default=None)


def _placement(environment: Mapping[str, Any], ranks: int) -> Iterator[Finding]:
    cpus, cores = available_cpus(environment), _value(environment, "affinity.cores")
    if cpus is None:
        return
    if ranks > cpus:
        yield _warning(
            OVERSUBSCRIBED,
            f"{_count(ranks, 'rank')} share {_count(cpus, 'CPU')}: they wait for each other, "
            "and times show the scheduler.",
            f"Run at most {_count(int(cpus), 'rank')}, or give the run more CPUs (taskset, container or job options)."
            if cpus >= 2
            else "Give the run one CPU a rank (taskset, container or job options).",
        )
    elif cores is not None and ranks > cores:
        yield _warning(
            "Ranks share cores",
            f"{_count(ranks, 'rank')} run on the hardware threads of {_count(cores, 'core')} and slow each other down.",
            "Allow one CPU of each core to the run, for example with taskset -c.",
        )
    elif ranks == cpus:
        yield _note(
            "No CPU is free",
            f"{_count(ranks, 'rank')} fill all {_count(cpus, 'CPU')}: any other program delays one of them.",
            "Run nothing else while it measures, or use fewer ranks than CPUs.",
        )


def _quota(environment: Mapping[str, Any]) -> Iterator[Finding]:
    quota, count = _value(environment, "limits.cpu_quota_cpus"), _value(environment, "affinity.count")
    if quota is not None and (count is None or quota < count):
        yield _warning(
            "CPU quota",
            f"The control group may use {_count(quota, 'CPU')} of time in each period; ranks that wait by spinning "
            "use it up and are then stopped until the next period.",
            "Limit the container by CPUs and not by time: --cpuset-cpus instead of --cpus.",
        )


def _clock(environment: Mapping[str, Any]) -> Iterator[Finding]:
    governor = _value(environment, "cpu.governor")
    if governor is not None and governor != "performance":
        yield _warning(
            "Frequency scaling",
            f"The frequency governor is {governor}: the clock speed changes with the load, and so do the times.",
            "Set it to performance: sudo cpupower frequency-set --governor performance.",
        )
    if _value(environment, "cpu.smt"):
        yield _note(
            "Hardware threads",
            "Hardware threads share the cores: a rank is slower while another program uses the same core.",
            "Bind ranks to cores (mpiexec --bind-to core), or switch the threads off in the firmware.",
        )


def _competition(environment: Mapping[str, Any]) -> Iterator[Finding]:
    cpus, load = _value(environment, "busy.cpus"), _value(environment, "load_average.one_minute")
    if cpus is not None:  # what runs now; the load average also counts what has ended within the minute
        programs = [f"{name} {used:.1f}" for name, used in (_value(environment, "busy.programs") or {}).items()]
        by = f": {', '.join(programs)}" if programs else ""
        text = f"Before the start {cpus:.1f} of {_count(_value(environment, 'busy.of') or 0, 'CPU')} were in use{by}."
        busy = cpus > BUSY_LOAD
    else:
        text = f"The load average was {load or 0:.2f} before the start: the CPUs were in use."
        busy = load is not None and load > BUSY_LOAD
    if busy:
        yield _warning(
            "Other processes compete",
            text,
            "Wait until the machine is idle, then run again; 'top' shows which programs run.",
        )


def _copying(environment: Mapping[str, Any]) -> Iterator[Finding]:
    if _value(environment, "single_copy.works") is False:
        scope = _value(environment, "single_copy.ptrace_scope")
        yield _warning(
            "Single copy is off",
            "A process may not read another's memory "
            f"({_value(environment, 'single_copy.reason') or 'refused'}): large messages are copied twice.",
            "Allow it: sudo sysctl kernel.yama.ptrace_scope=0."
            if scope
            else "Allow it: start the container with --cap-add SYS_PTRACE, or without its seccomp filter.",
        )
    size, free = _value(environment, "shm.size_bytes"), _value(environment, "shm.free_bytes")
    if _value(environment, "shm.writable") is False:
        yield _warning(
            "No shared memory", "This user cannot write to /dev/shm: MPI libraries use slower ways or fail.", MOUNT_SHM
        )
    elif size is not None and size <= SMALL_SHM_BYTES:
        yield _warning(
            "Little shared memory",
            f"/dev/shm has {format_bytes(size)}: MPI libraries use slower ways or fail.",
            "Start the container with --shm-size 1g, or with --ipc host.",
        )
    elif free is not None and free <= SMALL_SHM_BYTES:
        yield _warning(
            "Shared memory is full",
            f"/dev/shm has only {format_bytes(free)} left: MPI libraries use slower ways or fail.",
            "Remove files that crashed programs left in /dev/shm.",
        )


def _pages(environment: Mapping[str, Any]) -> Iterator[Finding]:
    if _value(environment, "memory.transparent_hugepages") == "never":
        yield _note(
            "No huge pages",
            "Transparent huge pages are off: message buffers lie in small pages, and large messages take longer.",
            "Allow them on request: echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled.",
        )


def _numa(environment: Mapping[str, Any]) -> Iterator[Finding]:
    nodes = _value(environment, "numa.nodes")
    if nodes is None or nodes < 2:
        return
    if _value(environment, "numa.balancing"):
        yield _warning(
            "Pages are moved",
            f"The kernel moves memory between its {nodes} NUMA nodes while programs run, and stops them for it.",
            "Switch that off while measuring: sudo sysctl kernel.numa_balancing=0.",
        )
    yield _note(
        "NUMA nodes",
        f"Memory is in {nodes} parts, each near to some cores: a rank that changes its core may be far from its "
        "memory.",
        "Bind ranks to cores (mpiexec --bind-to core), and compare only runs with the same binding.",
    )


def _container(environment: Mapping[str, Any]) -> Iterator[Finding]:
    if kind := _value(environment, "limits.container"):
        yield _note(
            "Container",
            f"This is a container ({kind}): it may hide what the machine is like, and others may use the machine.",
            "Compare only runs in the same container on the same machine.",
        )


def _machine(environment: Mapping[str, Any]) -> Iterator[Finding]:
    if _value(environment, "cpu.virtual_machine"):
        hypervisor = _value(environment, "cpu.hypervisor")
        yield _note(
            "Virtual machine",
            f"A hypervisor{f' ({hypervisor})' if hypervisor else ''} runs this machine: other guests may take CPU "
            "time without being seen.",
            "Compare only runs of the same machine, and look at the noise floor next to each ratio.",
        )


def _cluster(environment: Mapping[str, Any]) -> Iterator[Finding]:
    if (hosts := _value(environment, "cluster.hosts")) is None:
        return
    rate = _value(environment, "cluster.rate")
    wires = f"wires of {rate}" if rate else "wires as fast as the kernel copies"
    kind = "containers" if _value(environment, "cluster.image") else "namespaces"
    yield _note(
        "A test cluster",
        f"The {len(hosts)} hosts are {kind} of this machine with {wires}: messages take the kernel's network, but "
        "no network card, and all hosts share the processors and the memory.",
        "Measure on real hosts for figures of a real network.",
    )


def _congestion(environment: Mapping[str, Any]) -> Iterator[Finding]:
    owner = "kernel" if _value(environment, "cluster") is None else "cluster"
    if _value(environment, f"{owner}.tcp_congestion_control") == "bbr":
        yield _note(
            "TCP keeps a pace",
            "The congestion control of TCP is bbr, which sends at a pace that it estimates: some libraries take three "
            "times as long for large messages as with the usual one, cubic.",
            "Choose that, if your program runs with it, too: sudo sysctl net.ipv4.tcp_congestion_control=cubic.",
        )


def _unknown(environment: Mapping[str, Any]) -> Iterator[Finding]:
    wanted = {
        "affinity.count": "how many CPUs are allowed",
        "limits.cgroup": "CPU quota",
        "cpu.governor": "frequency governor",
        "cpu.virtual_machine": "whether it is a virtual machine",
        "load_average.one_minute": "load average",
        "single_copy.works": "single copy",
        "shm.size_bytes": "size of /dev/shm",
        "memory.transparent_hugepages": "transparent huge pages",
    }
    missing = [name for place, name in wanted.items() if _value(environment, place) is None]
    if missing:
        yield _note(
            "Not known",
            f"The system does not report: {', '.join(missing)}.",
            "Containers and virtual machines often hide this; ask the administrator of the host.",
        )


def _value(environment: Mapping[str, Any], path: str) -> Any:
    """A value such as ``cpu.governor``; None if it or its section is missing."""
    value: Any = environment
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _count(number: float, noun: str) -> str:
    return f"{number:g} {noun}" if number == 1 else f"{number:g} {noun}s"


def _warning(title: str, text: str, advice: str) -> Finding:
    return Finding("warning", title, text, advice)


def _note(title: str, text: str, advice: str) -> Finding:
    return Finding("note", title, text, advice)
