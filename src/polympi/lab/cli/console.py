"""Where text goes: results to standard output, what happens meanwhile to standard error."""

from __future__ import annotations

from rich.console import Console

results = Console(highlight=False)
errors = Console(stderr=True, highlight=False)


def say(text: str) -> None:
    """Tell what is being done, so that no step is silent."""
    errors.print(f"· {text}", markup=False, soft_wrap=True)
