"""The Python that the README and the guides show; as a program, what writes it to files for type checkers."""

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGES = ["README.md", "docs/index.md", "docs/guide.md", "docs/meshes.md", "docs/errors.md", "docs/raw.md"]
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(page: str) -> list[tuple[int, str]]:
    """The Python of a page, and how many lines are before each example."""
    text = (REPOSITORY / page).read_text()
    return [(text.count("\n", 0, found.start(1)), found[1]) for found in EXAMPLE.finditer(text)]


def module(page: str) -> str:
    """The examples of a page, which follow each other, as one program with the lines of the page."""
    program = ""
    for before, example in examples(page):
        program += "\n" * (before - program.count("\n")) + example
    return program


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        (folder / f"{Path(page).stem.lower()}_md.py").write_text(module(page))
