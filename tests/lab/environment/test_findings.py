"""Findings are a pure function of the record: made-up machines, one trouble each."""

import copy

import pytest

from polympi.lab.environment.findings import available_cpus, environment_findings

QUIET = {
    "cpu": {"governor": "performance", "smt": False, "virtual_machine": False, "hypervisor": None},
    "affinity": {"cpus": [0, 1, 2, 3], "count": 4, "cores": 4},
    "memory": {"transparent_hugepages": "madvise"},
    "shm": {"size_bytes": 8 * 2**30, "free_bytes": 8 * 2**30, "writable": True},
    "limits": {"container": None, "cgroup": 2, "cpu_quota_cpus": None, "memory_bytes": None, "cpuset": "0-3"},
    "load_average": {"one_minute": 0.1, "five_minutes": 0.2, "fifteen_minutes": 0.2},
    "single_copy": {"works": True, "reason": None, "ptrace_scope": 1},
}

CLUSTER = {"cluster": {"name": "t", "hosts": ["t-1", "t-2"], "rate": None, "tcp_congestion_control": "cubic"}}
PACED = {"cluster": CLUSTER["cluster"] | {"tcp_congestion_control": "bbr"}}


def changed(**metadata):
    """The quiet machine with other metadata, ``section__name=value``."""
    environment = copy.deepcopy(QUIET)
    for path, value in metadata.items():
        section, name = path.split("__")
        environment.setdefault(section, {})[name] = value
    return environment


def found(environment, ranks=2):
    return {f.title: f for f in environment_findings(environment, ranks)}


def test_a_quiet_machine_has_no_findings():
    assert environment_findings(QUIET, 2) == []


@pytest.mark.parametrize(
    ("metadata", "ranks", "level", "title", "words"),
    [
        ({}, 5, "warning", "Oversubscribed", "5 ranks share 4 CPUs"),
        ({"limits__cpu_quota_cpus": 1.5}, 2, "warning", "Oversubscribed", "2 ranks share 1.5 CPUs"),
        ({"affinity__count": 1, "affinity__cores": 1}, 2, "warning", "Oversubscribed", "2 ranks share 1 CPU:"),
        ({"affinity__cores": 2}, 3, "warning", "Ranks share cores", "hardware threads of 2 cores"),
        ({}, 4, "note", "No CPU is free", "4 ranks fill all 4 CPUs"),
        ({"limits__cpu_quota_cpus": 2.5}, 2, "warning", "CPU quota", "2.5 CPUs of time"),
        ({"cpu__governor": "powersave"}, 2, "warning", "Frequency scaling", "governor is powersave"),
        ({"cpu__governor": "performance, schedutil"}, 2, "warning", "Frequency scaling", "schedutil"),
        ({"cpu__smt": True}, 2, "note", "Hardware threads", "share the cores"),
        ({"load_average__one_minute": 0.51}, 2, "warning", "Other processes compete", "0.51"),
        (
            {"busy__cpus": 1.9, "busy__of": 2, "busy__programs": {"cc1": 1.0}},
            2,
            "warning",
            "Other processes compete",
            "1.9 of 2 CPUs",
        ),
        ({"single_copy__works": False, "single_copy__reason": "EPERM"}, 2, "warning", "Single copy is off", "EPERM"),
        ({"shm__size_bytes": 64 * 2**20}, 2, "warning", "Little shared memory", "67.1 MB"),
        ({"shm__writable": False}, 2, "warning", "No shared memory", "cannot write to /dev/shm"),
        ({"shm__free_bytes": 2**20}, 2, "warning", "Shared memory is full", "1.05 MB"),
        ({"memory__transparent_hugepages": "never"}, 2, "note", "No huge pages", "small pages"),
        ({"cpu__virtual_machine": True, "cpu__hypervisor": "KVM"}, 2, "note", "Virtual machine", "(KVM)"),
        ({"cpu__governor": None, "shm__size_bytes": None}, 2, "note", "Not known", "governor, size of /dev/shm"),
    ],
)
def test_each_trouble_is_one_sentence_and_an_advice(metadata, ranks, level, title, words):
    finding = found(changed(**metadata), ranks)[title]
    assert finding.level == level
    assert words in finding.text
    assert finding.text.endswith(".")
    assert finding.advice.endswith(".")


@pytest.mark.parametrize(
    ("metadata", "ranks"),
    [
        ({"load_average__one_minute": 0.5}, 2),
        ({"load_average__one_minute": 9.0, "busy__cpus": 0.1}, 2),  # it has ended
        ({"limits__cpu_quota_cpus": 4.0}, 2),  # a quota of all allowed CPUs never stops a rank
        ({"shm__size_bytes": 65 * 2**20, "shm__free_bytes": 65 * 2**20}, 2),
        ({"memory__transparent_hugepages": "always"}, 2),
        ({"affinity__cores": None}, 3),
    ],
)
def test_what_is_just_good_enough_is_no_finding(metadata, ranks):
    assert environment_findings(changed(**metadata), ranks) == []


@pytest.mark.parametrize(
    ("algorithm", "by_network", "cluster", "reported"),
    [
        ("bbr", True, {}, True),
        ("bbr", False, {}, False),
        ("cubic", True, {}, False),
        ("bbr", True, CLUSTER, False),
        ("cubic", True, PACED, True),
    ],
)
def test_a_paced_tcp_is_reported_where_messages_take_it(algorithm, by_network, cluster, reported):
    record = {**QUIET, "kernel": {"tcp_congestion_control": algorithm}, **cluster}
    titles = [finding.title for finding in environment_findings(record, 2, by_network=by_network)]
    assert ("TCP keeps a pace" in titles) == reported


def test_warnings_come_before_notes():
    levels = [f.level for f in environment_findings(changed(cpu__smt=True, cpu__governor="powersave"), 5)]
    assert levels == ["warning", "warning", "note"]


def test_single_copy_advice_names_what_refuses():
    off = {"single_copy__works": False}
    assert "ptrace_scope=0" in found(changed(**off))["Single copy is off"].advice
    in_container = found(changed(**off, single_copy__ptrace_scope=0))
    assert "SYS_PTRACE" in in_container["Single copy is off"].advice


def test_nothing_is_claimed_of_an_empty_record():
    findings = environment_findings({}, 2)
    assert [f.title for f in findings] == ["Not known"]
    assert environment_findings({"cpu": None}, 2) == findings


def test_the_quota_counts_as_cpus():
    assert available_cpus(QUIET) == 4
    assert available_cpus(changed(limits__cpu_quota_cpus=1.5)) == 1.5
    assert available_cpus({}) is None


@pytest.mark.parametrize(("rate", "words"), [("1gbit", "wires of 1gbit"), (None, "as fast as the kernel copies")])
def test_a_test_cluster_differs_from_real_hosts(rate, words):
    finding = found({**QUIET, "cluster": {"name": "t", "hosts": ["t-1", "t-2"], "rate": rate}})["A test cluster"]
    assert finding.level == "note"
    assert "The 2 hosts are namespaces of this machine" in finding.text
    assert words in finding.text
