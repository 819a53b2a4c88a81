from pathlib import Path

import pytest

from polympi.lab.bindings.manifest import (
    absent_bindings,
    asked_for,
    default_bindings,
    load_bindings,
    load_manifest,
    python_requirements,
)
from polympi.lab.catalogue import BENCHMARKS, PAYLOADS, Case
from polympi.lab.errors import UsageError

COVERS = '"latency/*/bytes", "barrier/*/*"'
MANIFEST = f"""
name = "x"
language = "X"
summary = "an X"
[build]
[[bindings]]
name = "x"
summary = "an X"
run = ["x", "{{plan}}", "{{samples}}"]
covers = [{COVERS}]
[[bindings.without]]
cases = ["latency/ready*/*", "barrier/*/none"]
why = "X has no ready mode"
"""


def _entry(line: str) -> str:
    return MANIFEST.replace("covers", f"{line}\ncovers")


def _write(folder: Path, text: str = MANIFEST, name: str = "x") -> Path:
    path = folder / name / "manifest.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_the_shipped_bindings_are_found_with_the_a_a_arm() -> None:
    bindings = load_bindings()
    assert {"c-pack", "mpi4py-pkl5"} <= bindings.keys()
    assert bindings["c-again"].entry == bindings["c"].entry
    assert any(r.startswith("mpi4py") for r in python_requirements(bindings.values()))


def test_the_usual_run_compares_few_bindings_lest_it_takes_long() -> None:
    assert {binding.name for binding in default_bindings(load_bindings())} == {
        *("c", "c-again", "c-multiple", "c-spin", "c-pages"),
        *("mpi4py", "mpi4py-object"),
        *("polympi", "polympi-object"),
    }


def test_bindings_are_asked_for_by_name_or_all_together() -> None:
    known = load_bindings()
    assert [b.name for b in asked_for(known, ["polympi", "c", "polympi"])] == ["polympi", "c"]
    assert [b.name for b in asked_for(known, ["all"])] == list(known)
    assert {b.name for b in asked_for(known, ["mpi4py", "all"])} == set(known)
    with pytest.raises(UsageError, match=r"no binding 'mpi4pi'.*'all' means all of them. Did you mean 'mpi4py'\?"):
        asked_for(known, ["mpi4pi"])


def test_the_reference_covers_every_case() -> None:
    reference = load_bindings()["c"]
    for benchmark in BENCHMARKS.values():
        for mode in benchmark.modes:
            for payload in benchmark.payloads:
                assert reference.why_not(Case(benchmark.name, mode, payload, 8)) is None


ABSENT = """
name = "y"
language = "Y"
summary = "a Y"
homepage = "https://example.org"
absent = "Nobody has Y."
"""


def test_what_has_no_program_is_known_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path, ABSENT, "y")
    _write(tmp_path)
    monkeypatch.setenv("POLYMPI_BINDINGS", str(tmp_path))
    known = load_bindings()
    assert "x" in known
    assert "y" not in known
    assert absent_bindings()["y"].absent == "Nobody has Y."
    with pytest.raises(UsageError, match=r"There is no program for 'y' yet: Nobody has Y\."):
        asked_for(known, ["y"])


def test_shipped_manifests_say_why_there_is_no_program() -> None:
    absent = absent_bindings()
    assert {"mpi.jl", "mpi4jax"} <= absent.keys()
    assert all(one.absent.endswith(".") for one in absent.values())
    assert not absent.keys() & load_bindings().keys()


def test_coverage_and_its_exceptions(tmp_path: Path) -> None:
    _write(tmp_path)
    binding = load_bindings([tmp_path])["x"]
    assert binding.why_not(Case("latency", "standard", "bytes", 8)) is None
    assert binding.why_not(Case("latency", "ready-persistent", "bytes", 8)) == "X has no ready mode"
    assert binding.why_not(Case("barrier", "standard", "none", 0)) == "X has no ready mode"
    assert "outside" in str(binding.why_not(Case("latency", "standard", "float64", 8)))


@pytest.mark.parametrize(
    ("covers", "covered"),
    [
        ('"*/*/*"', ["latency"]),
        ('"*/*/*", "plan/*/*"', ["latency", "plan"]),
        ('"p*/*/*"', []),
        ('"all"', ["latency", "plan", "wave"]),
    ],
)
def test_a_benchmark_that_is_not_basic_is_covered_only_if_it_is_named(
    tmp_path: Path, covers: str, covered: list[str]
) -> None:
    _write(tmp_path, MANIFEST.replace(COVERS, covers))
    binding = load_bindings([tmp_path])["x"]
    named = ["latency", "plan", "wave"]
    assert [name for name in named if binding.covered(BENCHMARKS[name])] == covered


def test_bindings_lie_at_any_depth_but_not_inside_another(tmp_path: Path) -> None:
    _write(tmp_path, name="languages/of/today/x")
    _write(tmp_path, MANIFEST.replace('"x"', '"inside"'), "languages/of/today/x/target/debug")
    (tmp_path / "languages" / "back").symlink_to(tmp_path)
    bindings = load_bindings([tmp_path])
    assert bindings["x"].folder == tmp_path / "languages" / "of" / "today" / "x"
    assert "inside" not in bindings


def test_a_folder_may_be_a_link(tmp_path: Path) -> None:
    _write(tmp_path / "elsewhere")
    (tmp_path / "bindings").mkdir()
    (tmp_path / "bindings" / "x").symlink_to(tmp_path / "elsewhere" / "x")
    assert "x" in load_bindings([tmp_path / "bindings"])


def test_a_folder_of_the_environment_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path)
    monkeypatch.setenv("POLYMPI_BINDINGS", str(tmp_path))
    assert "x" in load_bindings()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name = ", "it is not TOML"),
        (MANIFEST.replace("summary", "sumary", 1), "there is no field 'sumary': name, language, summary, build"),
        (MANIFEST + "[needs]\ncommand = []", "no field 'needs.command': commands, python, debian, help, sources are"),
        (_entry("most_iterations = -1"), "'bindings.0..most_iterations' is -1"),
        (_entry("calls = { bcst = 2 }"), "'bindings.0..calls', 'bcst = 2' is not a number"),
        (_entry("calls = { bcast = 0 }"), "'bindings.0..calls', 'bcast = 0' is not"),
        (_entry("calls = { latency = 2 }"), "'latency = 2' is not a number of calls of a"),
        (
            _entry("announces = { from_bytes = 9, rounds = { ring = 2 } }"),
            "announces.rounds', 'ring = 2' is not a number",
        ),
        (_entry("announces = { from_bytes = 9, follows = { bcast = 0 } }"), "announces.follows', 'bcast = 0' is not a"),
        (_entry("announces = { from_bytes = 0 }"), "'bindings.0..announces.from_bytes' is 0: it is a number of bytes"),
        (MANIFEST.replace(COVERS, '"*/*/problem"'), "'.*/problem' means no benchmark that all"),
        (
            MANIFEST.replace("latency/*/bytes", "latensy/*/bytes"),
            r"'bindings\[0\].covers', 'latensy/\*/bytes' means no",
        ),
        (MANIFEST.replace("latency/ready", "latency/redy"), r"'bindings\[0\].without\[0\].cases', 'latency/redy"),
        (
            MANIFEST.replace('name = "x"\nsummary', 'name = "all"\nsummary'),
            r"'bindings\[0\].name' is 'all': a name has",
        ),
        (
            MANIFEST.replace('name = "x"\nsummary', 'name = "a,b"\nsummary'),
            r"'bindings\[0\].name' is 'a,b': a name has",
        ),
        ('name = "x"\nlanguage = "X"\nsummary = ""\nbindings = []\n[build]', "the field 'bindings' is empty"),
    ],
)
def test_a_damaged_manifest_is_reported(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        load_manifest(_write(tmp_path, text))
    assert str(caught.value).startswith(f"The manifest '{tmp_path / 'x' / 'manifest.toml'}' cannot be used: ")
    assert "docs/adding-a-binding.md" in str(caught.value)


def test_one_name_for_two_bindings_is_reported(tmp_path: Path) -> None:
    _write(tmp_path, name="a")
    _write(tmp_path, name="b")
    with pytest.raises(UsageError, match="Two bindings are named 'x'"):
        load_bindings([tmp_path])


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder of bindings"):
        load_bindings([tmp_path / "nothing"])


@pytest.mark.parametrize(
    ("payload", "legal", "illegal"), [("bytes", 0, -1), ("float64", 16, 12), ("array", 8, 0), ("dict", 24, 8)]
)
def test_sizes_must_fit_their_payload(payload: str, legal: int, illegal: int) -> None:
    assert PAYLOADS[payload].allows(legal)
    assert not PAYLOADS[payload].allows(illegal)
