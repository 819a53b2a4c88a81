"""Processor metadata from made-up kernel files, and from this machine."""

import os

import psutil
import pytest

from polympi.lab.environment.files import expand_list
from polympi.lab.environment.processor import affinity_metadata, instruction_sets, processor_metadata

X86 = "processor\t: 0\nmodel name\t: Imaginary 9000\nflags\t\t: fpu sse{}\n"


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_a_server_with_frequency_scaling(tmp_path):
    cpu = "sys/devices/system/cpu"
    write(
        tmp_path,
        {
            "proc/cpuinfo": X86.format(""),
            f"{cpu}/smt/active": "1\n",
            f"{cpu}/cpu0/topology/physical_package_id": "0\n",
            f"{cpu}/cpu1/topology/physical_package_id": "1\n",
            f"{cpu}/cpu0/cpufreq/scaling_governor": "powersave\n",
            f"{cpu}/cpu1/cpufreq/scaling_governor": "performance\n",
            f"{cpu}/cpu0/cpufreq/cpuinfo_min_freq": "800000\n",
            f"{cpu}/cpu0/cpufreq/cpuinfo_max_freq": "3500000\n",
            f"{cpu}/cpu1/cpufreq/cpuinfo_max_freq": "3700000\n",
            f"{cpu}/intel_pstate/no_turbo": "1\n",
        },
    )
    metadata = processor_metadata(tmp_path, "x86_64")
    assert metadata["model"] == "Imaginary 9000"
    assert (metadata["sockets"], metadata["smt"], metadata["boost"]) == (2, True, False)
    assert metadata["governor"] == "performance, powersave"
    assert (metadata["frequency_min_mhz"], metadata["frequency_max_mhz"]) == (800.0, 3700.0)
    assert (metadata["virtual_machine"], metadata["hypervisor"]) == (False, None)


def test_a_virtual_machine_says_so_and_names_its_maker(tmp_path):
    write(
        tmp_path,
        {
            "proc/cpuinfo": X86.format(" hypervisor"),
            "sys/class/dmi/id/sys_vendor": "QEMU\n",
            "sys/class/dmi/id/product_name": "Standard PC\n",
            "sys/devices/system/cpu/cpufreq/boost": "1\n",
        },
    )
    metadata = processor_metadata(tmp_path, "x86_64")
    assert (metadata["virtual_machine"], metadata["hypervisor"]) == (True, "QEMU Standard PC")
    assert metadata["boost"] is True


def test_what_the_system_does_not_tell_is_none(tmp_path):
    metadata = processor_metadata(tmp_path, "aarch64")
    reported = {k for k, v in metadata.items() if v is not None}
    assert reported <= {"physical_cores", "logical_cpus"}  # those come from the library, not from files
    assert set(metadata) >= {"model", "governor", "boost", "virtual_machine"}


def test_the_flags_of_another_architecture_say_nothing_of_hypervisors(tmp_path):
    write(tmp_path, {"proc/cpuinfo": "flags : fp asimd\n"})
    assert processor_metadata(tmp_path, "aarch64")["virtual_machine"] is None


def test_cores_of_the_allowed_cpus(tmp_path):
    topology = "sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    write(tmp_path, {topology.format(n): f"{n % 2},{n % 2 + 2}\n" for n in range(4)})
    unknown = {"last_level_cache_bytes": None, "topology": {}}
    assert affinity_metadata(tmp_path, {0, 2}) == {"cpus": [0, 2], "count": 2, "cores": 1, **unknown}
    assert affinity_metadata(tmp_path, {0, 1}) == {"cpus": [0, 1], "count": 2, "cores": 2, **unknown}
    assert affinity_metadata(tmp_path, {0, 9}) == {"cpus": [0, 9], "count": 2, "cores": None, **unknown}
    assert affinity_metadata(tmp_path, set()) == {"cpus": [], "count": None, "cores": None, **unknown}


def test_the_topology_names_socket_and_core_of_each_allowed_cpu(tmp_path):
    folder = "sys/devices/system/cpu/cpu{}/topology/"
    for cpu in range(4):  # two sockets of one core with two threads each
        write(tmp_path, {folder.format(cpu) + "thread_siblings_list": f"{cpu % 2},{cpu % 2 + 2}\n"})
        write(tmp_path, {folder.format(cpu) + "physical_package_id": f"{cpu % 2}\n"})
    assert affinity_metadata(tmp_path, {0, 1, 2})["topology"] == {"0": [0, 0], "1": [1, 1], "2": [0, 0]}
    (tmp_path / folder.format(2) / "physical_package_id").unlink()
    assert affinity_metadata(tmp_path, {0, 1, 2})["topology"] == {}


def test_last_level_caches_of_the_allowed_cpus_count_once_each(tmp_path):
    for cpu in range(4):
        for index, (level, size, shared) in enumerate(
            [(1, "32K", f"{cpu}"), (1, "48K", f"{cpu}"), (2, "1024K", f"{cpu}"), (3, "16384K", f"{cpu // 2}")]
        ):
            cache = f"sys/devices/system/cpu/cpu{cpu}/cache/index{index}"
            files = {"level": f"{level}", "size": size, "shared_cpu_list": shared}
            write(tmp_path, {f"{cache}/{name}": f"{text}\n" for name, text in files.items()})

    def cache_bytes(*cpus):
        return affinity_metadata(tmp_path, set(cpus))["last_level_cache_bytes"]

    assert cache_bytes(0) == cache_bytes(0, 1) == 16 * 2**20
    assert cache_bytes(0, 1, 2) == 32 * 2**20
    assert cache_bytes(0, 9) is None  # of one of them the system does not tell


@pytest.mark.parametrize(
    ("text", "numbers"), [("0-3,8", [0, 1, 2, 3, 8]), ("5", [5]), ("", []), ("a-b", []), ("1-x", [])]
)
def test_kernel_lists(text, numbers):
    assert expand_list(text) == numbers


def test_this_machine():
    assert processor_metadata()["logical_cpus"] == psutil.cpu_count()
    assert affinity_metadata()["cpus"] == sorted(os.sched_getaffinity(0))


def test_instruction_sets_are_those_of_the_first_processor_in_one_order(tmp_path):
    write(tmp_path, {"proc/cpuinfo": "processor : 0\nflags\t\t: sse2 avx\n\nprocessor : 1\nflags : other\n"})
    assert instruction_sets(tmp_path) == "avx sse2"
    write(tmp_path, {"proc/cpuinfo": "Features : fp asimd\n"})
    assert instruction_sets(tmp_path) == "asimd fp"
    assert instruction_sets(tmp_path / "nowhere") == ""
