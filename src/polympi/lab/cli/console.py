"""Where text goes: results to standard output, messages on progress to standard error."""

from rich.console import Console

results = Console(highlight=False)
errors = Console(stderr=True, highlight=False)


def say(text: str, console: Console = errors) -> None:
    """Tell what is being done, so that no step is silent."""
    console.print(f"· {text}", markup=False, soft_wrap=True)


def say_home() -> None:
    """Make sure that HOME is set, and tell if it was not."""
    from polympi.lab.home import take_home

    if sentence := take_home():
        say(sentence)
