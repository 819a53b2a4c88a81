"""What the guide and the README show of the interface, run as it stands there."""

import ast
import re
from pathlib import Path

import pytest
from snippets import PAGES, examples

import polympi
from polympi import errors
from polympi.native import build

pytestmark = pytest.mark.any_library

REPOSITORY = Path(__file__).parents[2]
GUIDE = ["guide.md", "meshes.md", "errors.md", "threads.md", "start-and-end.md", "raw.md"]
READABLE = sorted(
    str(page.relative_to(REPOSITORY))
    for pages in ("*.md", "docs/**/*.md", "examples/**/README.md", "bindings/**/README.md")
    for page in REPOSITORY.glob(pages)
)

# The examples of a page follow each other in one program. A traceback has the lines of the page.
PROGRAM = """
import sys, types
from polympi import world
examples = {examples!r}
main = sys.modules["__main__"] = types.ModuleType("__main__")  # where pickle finds functions
names = vars(main)
for line, example in examples:
    exec(compile("\\n" * line + example, {page!r}, "exec"), names)
world.barrier()
print("rank", world.rank, "ran", len(examples))
"""


@pytest.mark.one_host  # on several, sentences name hosts
@pytest.mark.parametrize("page", PAGES)
def test_the_snippets_of_a_page_run_one_after_another_on_two_ranks(run, stack, page: str) -> None:
    found = examples(page)
    assert found
    said = run(PROGRAM.format(examples=found, page=page), 2, stack).succeeded()
    assert {f"rank {rank} ran {len(found)}" for rank in (0, 1)} <= set(said.splitlines())


def test_the_guide_and_the_reference_name_everything_that_is_public() -> None:
    stub = ast.parse((build.SOURCES / "core.pyi").read_text())
    members = [
        member.name
        for declared in stub.body
        if isinstance(declared, ast.ClassDef) and declared.name in ("Communicator", "Request")
        for member in declared.body
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")
    ]
    assert "sendrecv" in members
    guide = "".join((REPOSITORY / "docs" / page).read_text() for page in GUIDE)
    reference = (REPOSITORY / "docs" / "reference.md").read_text()
    listed = [name for name in polympi.__all__ if not hasattr(errors, name)]  # exceptions come from their module
    for page, names in ((guide, {*polympi.__all__, *members}), (reference, listed)):
        assert [name for name in names if not re.search(rf"\b{name}\b", page)] == []


@pytest.mark.parametrize("page", READABLE)
def test_links_lead_to_files_and_headings_that_are_there(page: str) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", (REPOSITORY / page).read_text()):
        name, _, heading = target.partition("#")
        if "://" in name:
            continue
        file = (REPOSITORY / page).parent / name if name else REPOSITORY / page
        assert file.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.+)$", file.read_text(), re.MULTILINE)
            assert heading in [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles], target
