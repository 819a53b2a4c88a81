import pytest

from polympi.lab.catalogue import BENCHMARKS, Case, face_bytes
from polympi.lab.errors import UsageError
from polympi.lab.plan.cases import possible_on, select_cases
from polympi.lab.plan.profiles import APPLICATIONS, LONGER_ONLY, PROFILES

QUICK = PROFILES["quick"]


@pytest.mark.parametrize("profile", ["standard", "publish"])
def test_every_benchmark_mode_and_payload_is_measured_but_applications(profile: str) -> None:
    cases = select_cases(PROFILES[profile], [], None, 2)
    assert {c.benchmark for c in cases} == {
        b.name for b in BENCHMARKS.values() if not (b.launch_figure or b.application)
    }
    latency = [c for c in cases if c.benchmark == "latency"]
    assert {c.mode for c in latency} == set(BENCHMARKS["latency"].modes)
    assert {c.payload for c in latency} == set(BENCHMARKS["latency"].payloads)
    assert all(BENCHMARKS[c.benchmark].allows(c.payload, c.size_bytes) for c in cases)
    assert len(cases) == len(set(cases))


def test_the_glance_has_a_small_and_a_large_message_an_object_and_a_collective() -> None:
    cases = select_cases(PROFILES["glance"], [], None, 2)
    assert {(c.benchmark, c.payload) for c in cases} == {
        ("latency", "bytes"), ("latency", "dict"), ("allreduce", "float64"),
    }  # fmt: skip
    sizes = {c.size_bytes for c in cases if c.payload == "bytes"}
    assert min(sizes) == 8
    assert max(sizes) == 2**20
    assert len(cases) <= 10
    assert {c.benchmark for c in select_cases(PROFILES["glance"], ["bcast"], None, 2)} == {"bcast"}
    assert select_cases(PROFILES["glance"], [], None, 1) == []


def test_sizes_of_point_to_point_reach_4_mib_and_collectives_1_mib() -> None:
    cases = select_cases(QUICK, [], None, 2)
    assert max(c.size_bytes for c in cases if c.benchmark == "latency") == 4 * 2**20
    assert max(c.size_bytes for c in cases if c.benchmark == "bcast") == 2**20
    assert Case("latency", "standard", "bytes", 0) in cases
    assert not [c for c in cases if c.benchmark == "bandwidth" and c.size_bytes == 0]


def test_a_pattern_asks_for_what_a_name_leaves_out() -> None:
    usual = select_cases(QUICK, ["latency"], [8], 2)
    assert Case("latency", "ready", "float64", 8) not in usual
    assert select_cases(QUICK, ["latency/ready/float64"], [8], 2) == [Case("latency", "ready", "float64", 8)]
    modes = {c.mode for c in select_cases(QUICK, ["latency/*-persistent"], [8], 2)}
    assert modes == {f"{m}-persistent" for m in ("standard", "synchronous", "buffered", "ready")}


def test_sizes_that_do_not_fit_a_payload_are_not_measured() -> None:
    cases = select_cases(QUICK, ["latency"], [1, 12, 16], 2)
    assert {c.size_bytes for c in cases if c.payload == "bytes"} == {1, 12, 16}
    assert {c.size_bytes for c in cases if c.payload == "float64"} == {16}
    assert {c.size_bytes for c in cases if c.payload == "dict"} == {24}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_faces_have_the_same_sizes_in_all_directions(profile) -> None:
    cases = select_cases(profile, ["faces"], None, 2)
    sizes = {mode: {c.size_bytes for c in cases if c.mode == mode} for mode in BENCHMARKS["faces"].modes}
    assert set(map(frozenset, sizes.values())) == {frozenset(map(face_bytes, profile.face_edges))}
    assert max(sizes["rows"]) == 135200


def test_a_face_is_a_square_of_doubles_of_no_endless_cube() -> None:
    asked = [8, 24, 32, 128, 512, 1024, 2**19, 2**21]
    assert {c.size_bytes for c in select_cases(QUICK, ["faces/rows/*"], asked, 2)} == {32, 128, 512, 2**19}


def test_what_needs_two_ranks_is_not_possible_on_one() -> None:
    cases = select_cases(QUICK, ["wave", "latency", "bcast"], None, 2)
    assert {case.benchmark for case in possible_on(cases, 1)} == {"wave"}
    assert possible_on(cases, 2) == cases


def test_sizes_that_no_face_can_have_leave_the_other_benchmarks() -> None:
    cases = select_cases(QUICK, [], [8, 1024], 2)
    assert {c.benchmark for c in cases} == set(BENCHMARKS) - {"faces", "halo", "startup", *LONGER_ONLY, *APPLICATIONS}


def test_one_rank_leaves_the_launch_figures() -> None:
    assert select_cases(QUICK, [], None, 1) == []


@pytest.mark.parametrize(
    ("benches", "sizes", "ranks", "sentence"),
    [
        (["latency/redy"], None, 2, "'latency' has the modes standard, .* Did you mean 'ready'"),
        (["latency/standard/flot64"], None, 2, "Did you mean 'float64'"),
        (["latency/fast"], None, 2, "There is no benchmark 'latency/fast'"),
        (["allreduce/*/float64"], [1, 3], 2, "None of the sizes asked for is possible"),
        (["faces"], [8, 1024], 2, "None of the sizes asked for is possible in 'faces'"),
    ],
)
def test_impossible_requests_are_a_sentence(benches, sizes, ranks, sentence) -> None:
    with pytest.raises(UsageError, match=sentence):
        select_cases(QUICK, benches, sizes, ranks)


def test_the_quick_profile_leaves_rings_and_datatypes_to_the_longer_ones_or_to_be_asked_for() -> None:
    quick = {c.benchmark for c in select_cases(QUICK, [], None, 2)}
    standard = {c.benchmark for c in select_cases(PROFILES["standard"], [], None, 2)}
    assert {"datatype", "ring"} <= standard - quick == set(LONGER_ONLY)
    assert {c.benchmark for c in select_cases(QUICK, ["ring", "datatype"], None, 2)} == {"datatype", "ring"}


def test_benchmarks_with_sizes_of_their_own_have_them_in_every_profile() -> None:
    for profile in PROFILES.values():
        ints = select_cases(profile, ["pingpong-int"], None, 2)
        assert [c.size_bytes for c in ints] == [4, 40, 4000]
        ring = select_cases(profile, ["ring"], None, 2)
        assert {(c.payload, c.size_bytes) for c in ring} == {("bytes", 1024), ("int32", 4), ("int", 8)}
        assert [c.size_bytes for c in select_cases(profile, ["plan"], None, 2)] == [8, 1024]
    assert [c.size_bytes for c in select_cases(QUICK, ["pingpong-int"], [4, 6, 8], 2)] == [4, 8]


def test_a_message_of_datatype_is_made_of_whole_groups() -> None:
    assert {c.size_bytes for c in select_cases(QUICK, ["datatype"], [0, 8, 32, 48, 64], 2)} == {32, 64}
    with pytest.raises(UsageError, match="a datatype multiples of 32 B"):
        select_cases(QUICK, ["datatype/vector"], [8], 2)


def test_a_halo_is_six_faces_of_a_cube_one_cube_in_a_quick_run() -> None:
    assert [c.size_bytes for c in select_cases(QUICK, ["halo"], None, 2)] == [49152]
    assert [c.size_bytes for c in select_cases(PROFILES["standard"], ["halo"], None, 2)] == [3072, 49152, 786432]
    asked = [48, 192, 200, 384, 48 * 256**2, 48 * 257**2]
    assert [c.size_bytes for c in select_cases(QUICK, ["halo"], asked, 2)] == [192, 48 * 256**2]
    with pytest.raises(UsageError, match=r"a halo 48 n\^2 B, with n up to 256"):
        select_cases(QUICK, ["halo"], [48], 2)


def test_a_lap_of_a_ring_has_as_many_hops_as_ranks() -> None:
    assert BENCHMARKS["ring"].operations("standard", 80) == 80
    assert BENCHMARKS["latency"].operations("standard", 80) == 2
    with pytest.raises(UsageError, match="'ring' needs at least 2 ranks"):
        select_cases(QUICK, ["ring"], None, 1)


def test_a_launch_whose_ranks_share_processors_has_more_time_but_not_without_end() -> None:
    assert QUICK.timeout_s(2, 2) == QUICK.timeout_s(2, 64) == QUICK.launch_timeout_s
    assert QUICK.timeout_s(8, 2) == 4 * QUICK.launch_timeout_s
    assert QUICK.timeout_s(800, 2) == 600


def test_applications_are_measured_where_they_are_asked_for_by_name() -> None:
    assert {c.size_bytes for c in select_cases(QUICK, ["wave"], None, 2)} == {8 * 129**3}
    assert {c.size_bytes for c in select_cases(PROFILES["standard"], ["wave"], None, 1)} == {8 * 129**3, 8 * 257**3}
    assert {c.mode for c in select_cases(QUICK, ["poisson-cg"], None, 2)} == {"blocking", "overlapped", "merged"}
    assert [c.size_bytes for c in select_cases(QUICK, ["sort"], [8, 8 * 5, 12], 1)] == [40]
    with pytest.raises(UsageError, match=r"an application a mesh: --sizes 129\^3"):
        select_cases(QUICK, ["wave"], [8 * 129**3 + 8], 2)


def test_a_mesh_is_left_out_where_a_rank_would_have_too_little_of_it() -> None:
    cases = select_cases(QUICK, ["wave/blocking"], [8 * 9**3, 8 * 12**3], 4)
    assert [case.size_bytes for case in possible_on(cases, 4)] == [8 * 12**3]
    assert possible_on(cases, 3) == cases
