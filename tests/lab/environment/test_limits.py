"""Control group limits from made-up kernel files of both versions."""

import pytest

from polympi.lab.environment.limits import limit_metadata

V2_MOUNT = "30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
V1_CPU = "31 20 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:5 - cgroup cgroup rw,cpu,cpuacct\n"
V1_MEMORY = "32 20 0:28 /docker/abc /sys/fs/cgroup/memory rw shared:6 - cgroup cgroup rw,memory\n"


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def version_2(root, **more):
    write(
        root,
        {
            "proc/self/cgroup": "0::/job/step\n",
            "proc/self/mountinfo": V2_MOUNT,
            "sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory pids\n",
            "sys/fs/cgroup/job/step/cpu.max": "max 100000\n",
            **more,
        },
    )


def test_version_2_without_limits(tmp_path):
    version_2(tmp_path, **{"sys/fs/cgroup/job/step/memory.max": "max\n"})
    assert limit_metadata(tmp_path, {}) == {
        "container": None,
        "cgroup": 2,
        "cpu_quota_cpus": None,
        "memory_bytes": None,
        "cpuset": None,
    }


def test_the_tightest_level_counts(tmp_path):
    version_2(
        tmp_path,
        **{
            "sys/fs/cgroup/job/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/cpu.max": "800000 100000\n",
            "sys/fs/cgroup/job/step/memory.max": "4294967296\n",
            "sys/fs/cgroup/job/memory.max": "1073741824\n",
            "sys/fs/cgroup/job/step/cpuset.cpus.effective": "0-1\n",
        },
    )
    metadata = limit_metadata(tmp_path, {})
    assert (metadata["cpu_quota_cpus"], metadata["memory_bytes"], metadata["cpuset"]) == (1.5, 1073741824, "0-1")


def test_version_1_and_a_container_that_sees_only_its_own_group(tmp_path):
    write(
        tmp_path,
        {
            "proc/self/cgroup": "4:memory:/docker/abc\n3:cpu,cpuacct:/\n0::/\n",
            "proc/self/mountinfo": V1_CPU + V1_MEMORY,
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "50000\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n",
        },
    )
    metadata = limit_metadata(tmp_path, {})
    assert (metadata["cgroup"], metadata["cpu_quota_cpus"], metadata["memory_bytes"]) == (1, 0.5, 536870912)


def test_version_1_without_limits(tmp_path):
    write(
        tmp_path,
        {
            "proc/self/cgroup": "4:memory:/\n3:cpu,cpuacct:/\n",
            "proc/self/mountinfo": V1_CPU + V1_MEMORY,
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        },
    )
    metadata = limit_metadata(tmp_path, {})
    assert (metadata["cgroup"], metadata["cpu_quota_cpus"], metadata["memory_bytes"]) == (1, None, None)


@pytest.mark.parametrize("damage", ["", "rubbish\n", "0::\n", "1 2 3 - cgroup2\n"])
def test_damaged_kernel_files_are_no_limits(tmp_path, damage):
    write(tmp_path, {"proc/self/cgroup": damage, "proc/self/mountinfo": damage})
    assert limit_metadata(tmp_path, {})["cpu_quota_cpus"] is None
    assert limit_metadata(tmp_path, {})["cgroup"] is None


@pytest.mark.parametrize(
    ("files", "variables", "kind"),
    [
        ({".dockerenv": ""}, {}, "docker"),
        ({"run/.containerenv": ""}, {}, "podman"),
        ({"run/systemd/container": "lxc\n"}, {}, "lxc"),
        ({".dockerenv": ""}, {"APPTAINER_CONTAINER": "/x.sif"}, "apptainer"),
        ({}, {"SINGULARITY_CONTAINER": "/x.sif"}, "singularity"),
        ({}, {}, None),
    ],
)
def test_containers_are_known_by_their_marks(tmp_path, files, variables, kind):
    write(tmp_path, files)
    assert limit_metadata(tmp_path, variables)["container"] == kind


def test_this_machine_has_sane_limits():
    quota = limit_metadata()["cpu_quota_cpus"]
    assert quota is None or quota > 0
