"""The action for other repositories, and the workflows that docs/ci.md shows."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from polympi.lab.home import HOME_VARIABLE
from polympi.lab.stacks.stack import Stack

REPOSITORY = Path(__file__).parents[2]
ACTION = yaml.safe_load((REPOSITORY / "action.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
PAGES = [
    yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", (REPOSITORY / "docs" / "ci.md").read_text(), re.S)
]
EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}")
# https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax
OF_STEP = {"name", "id", "if", "run", "shell", "uses", "with", "env", "working-directory", "continue-on-error"}


def test_the_metadata_is_that_of_a_composite_action() -> None:
    assert set(ACTION) <= {"name", "author", "description", "branding", "inputs", "outputs", "runs"}
    assert ACTION["runs"]["using"] == "composite"
    for step in ACTION["runs"]["steps"]:
        assert set(step) <= OF_STEP
        assert ("run" in step) != ("uses" in step)
        assert ("shell" in step) == ("run" in step)
    for name, one in ACTION["inputs"].items():
        assert set(one) <= {"description", "required", "default"}, name
        assert isinstance(one.get("default", ""), str)


def test_expressions_name_what_there_is_and_never_stand_in_a_script() -> None:
    ids = {step["id"] for step in ACTION["runs"]["steps"] if "id" in step}
    for step in ACTION["runs"]["steps"]:
        assert not EXPRESSION.search(step.get("run", ""))  # a title of a pull request must not become a command
    text = (REPOSITORY / "action.yml").read_text()
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(ACTION["inputs"])
    assert set(re.findall(r"steps\.([\w-]+)\.outputs", text)) == ids
    written = "".join(step.get("run", "") for step in ACTION["runs"]["steps"])
    for output in set(re.findall(r"steps\.[\w-]+\.outputs\.([\w-]+)", text)):
        assert f"{output}=" in written


@pytest.mark.parametrize("name", [name for name, step in STEPS.items() if "run" in step])
def test_scripts_are_bash(name: str) -> None:
    done = subprocess.run(["bash", "-n"], input=STEPS[name]["run"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_workflow_of_the_page_uses_the_action_as_it_is() -> None:
    workflow, gitlab = PAGES
    assert set(workflow) <= {"name", True, "permissions", "concurrency", "jobs"}  # YAML 1.1 takes "on" for true
    [job] = workflow["jobs"].values()
    given = job["steps"][-1]["with"]
    assert set(given) <= set(ACTION["inputs"])
    assert {name for name, one in ACTION["inputs"].items() if one.get("required")} <= set(given)
    script = "\n".join(gitlab["polympi"]["script"])
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


class Job:
    """Runs steps as a runner does: with bash, in one folder, with the files that GitHub gives."""

    def __init__(self, folder: Path, inputs: dict[str, str], event: str, home: str) -> None:
        self.folder = folder
        self.inputs = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | inputs
        self.known = {
            "inputs.mode || (github.event_name == 'pull_request' && 'gate' || 'baseline')": self.inputs["mode"]
            or ("gate" if event == "pull_request" else "baseline"),
            "github.event.pull_request.number": "7",
            **{f"inputs.{name}": value for name, value in self.inputs.items()},
        }
        self.summary = folder / "summary.md"
        path = os.pathsep.join([str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
        self.environment = os.environ | {
            HOME_VARIABLE: home,
            "PATH": path,
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_REPOSITORY": "quick/mpi",
        }

    def step(self, name: str, timeout_s: int = 60) -> subprocess.CompletedProcess[str]:
        step, outputs = STEPS[name], self.folder / "outputs"
        outputs.write_text("")
        filled = {
            key: EXPRESSION.sub(lambda found: self.known[found[1]], str(value))
            for key, value in step.get("env", {}).items()
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        environment = self.environment | filled | {"GITHUB_OUTPUT": str(outputs)}
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=timeout_s, check=False
        )
        for line in outputs.read_text().splitlines():
            key, _, value = line.partition("=")
            self.known[f"steps.{step['id']}.outputs.{key}"] = value
        return done


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder for stand-ins of programs."""
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin"


def stand_in(tools: Path, name: str, script: str) -> None:
    (tools / name).write_text(f"#!/bin/bash\n{script}\n")
    (tools / name).chmod(0o755)


def test_a_pull_request_without_a_baseline_passes_with_a_warning(tmp_path: Path, tools: Path) -> None:
    job = Job(tmp_path, {"binding": "c-spin"}, "pull_request", "")
    assert job.step("Name the baseline").returncode == 0
    assert re.fullmatch(r"polympi-baseline-[0-9a-f]{16}", job.known["steps.baseline.outputs.key"])
    done = job.step("Measure")
    assert (done.returncode, job.known["steps.measure.outputs.exit-code"]) == (0, "0")
    assert done.stdout.startswith("::warning::")
    assert job.step("Write the summary").returncode == 0
    assert "nothing was compared" in job.summary.read_text()


@pytest.mark.parametrize(
    ("writes", "code", "unknown", "ends"),
    [
        ("table", 1, "pass", 1),
        ("table", 3, "pass", 0),
        ("table", 3, "fail", 3),
        ("json", 2, "pass", 2),
        ("nothing", 2, "pass", 2),
    ],
)
def test_what_the_gate_says_is_what_the_job_says(tools: Path, writes: str, code: int, unknown: str, ends: int) -> None:
    script, said = {
        "table": ("echo '| table |' > polympi.md", "| table |"),
        "json": ("""echo '{"answer": "Another library."}' > polympi-gate.json""", "polympi: Another library."),
        "nothing": (":", "polympi: the gate has failed; the log says why."),
    }[writes]
    stand_in(tools, "polympi", f'printf "%s\\n" "$@" > arguments; {script}; exit {code}')
    folder = tools.parent
    (folder / "polympi-baseline").mkdir()
    (folder / "polympi-baseline" / "run.json").write_text("{}")
    job = Job(folder, {"binding": "c-spin", "gate": "--threshold '20%'", "unknown": unknown}, "pull_request", "")
    job.step("Name the baseline")
    assert job.step("Measure").returncode == 0
    assert (folder / "arguments").read_text().split()[-2:] == ["--threshold", "20%"]
    job.step("Write the summary")
    assert job.summary.read_text() == f"{said}\n"
    assert job.step("Judge").returncode == ends


@pytest.mark.parametrize(("mine", "method"), [("", "POST"), ("42", "PATCH")])
def test_a_pull_request_has_one_comment(tmp_path: Path, tools: Path, mine: str, method: str) -> None:
    stand_in(tools, "gh", f'case "$*" in *--method*) echo "$*" >> calls;; *) echo "{mine}";; esac')
    (tmp_path / "polympi.md").write_text("the table\n")
    done = Job(tmp_path, {"binding": "c-spin", "token": "t"}, "pull_request", "").step("Comment on the pull request")
    assert done.returncode == 0, done.stderr
    [call] = (tmp_path / "calls").read_text().splitlines()
    place = "issues/comments/42" if mine else "issues/7/comments"
    assert call == f"api --silent --method {method} repos/quick/mpi/{place} --field body=@polympi-comment.md"
    assert (tmp_path / "polympi-comment.md").read_text() == "<!-- polympi gate -->\nthe table\n"


def test_polympi_and_the_mpi_are_installed_as_asked_for(tmp_path: Path, tools: Path) -> None:
    for name in ("python", "polympi"):
        stand_in(tools, name, 'printf "%s|" "$@" >> arguments')
    job = Job(tmp_path, {"binding": "quickmpi", "bindings-from": "a folder"}, "push", "")
    job.known["github.action_path"] = "/actions/polympi"
    assert [job.step(name).returncode for name in ("Install polympi", "Install the MPI")] == [0, 0]
    found = (tmp_path / "arguments").read_text().split("|")
    assert found[:5] == ["-m", "pip", "install", "--quiet", "/actions/polympi[lab]"]
    assert found[5:-1] == ["stack", "add", "mpich", "--binding", "quickmpi", "--bindings-from", "a folder"]


@pytest.mark.exclusive
@pytest.mark.slow
def test_a_baseline_and_a_gate_run_for_real(tmp_path: Path, mpich: Stack) -> None:
    home = os.environ[HOME_VARIABLE]
    inputs = {
        "binding": "c-spin",
        "run": "--profile glance --bench 'latency/standard/bytes' --sizes 8",
        "gate": "--threshold 2000% --bench 'latency/standard/bytes'",
    }
    assert shutil.which("polympi", path=str(Path(sys.executable).parent))
    pushed = Job(tmp_path, inputs, "push", home)
    pushed.step("Name the baseline")
    done = pushed.step("Measure", timeout_s=300)
    assert done.returncode == 0, done.stderr
    proposed = Job(tmp_path, inputs, "pull_request", home)
    proposed.step("Name the baseline")
    assert proposed.known["steps.baseline.outputs.key"] == pushed.known["steps.baseline.outputs.key"]
    done = proposed.step("Measure", timeout_s=300)
    assert done.returncode == 0, done.stderr
    code = proposed.known["steps.measure.outputs.exit-code"]
    assert json.loads((tmp_path / "polympi-gate.json").read_text())["exit_code"] == int(code)
    assert code == "0"  # a factor of 21 is more than any noise
    proposed.step("Write the summary")
    assert "### polympi gate: polympi-baseline → polympi-gate" in proposed.summary.read_text()
    assert proposed.step("Judge").returncode == 0
