"""What is wrong with a command line, in one sentence."""

import re
from collections.abc import Iterable
from typing import Any

import typer

from polympi.lab.suggest import did_you_mean

# What Typer raises about a command line. It exports this class of its Click only by those that derive from it.
UsageError: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError")
# What others call by another name, and what does it here.
ELSEWHERE = {
    "polympi help": "polympi --help",
    "polympi version": "polympi --version",
    "polympi compare": "polympi run",
    "polympi stack list": "polympi list",
    "polympi stack show": "polympi list",
    "polympi stack install": "polympi stack add",
}
_KINDS = {"int": "a whole number", "integer": "a whole number", "float": "a number", "boolean": "yes or no"}


def usage_sentence(error: Any) -> str:
    """A sentence about a command line that could not be understood: what, where, what to do.

    Kinds of errors are distinguished by their names, since Typer, which has a Click of its own or takes the installed
    one, does not export them.
    """
    command = error.ctx.command_path if error.ctx else "polympi"
    see = f"'{command} --help' shows"
    kind, message = type(error).__name__, str(error.message)
    if kind == "NoSuchOption":
        known = [name for parameter in error.ctx.command.params for name in parameter.opts] if error.ctx else []
        hint = did_you_mean(error.option_name, known)
        return f"'{command}' has no option '{error.option_name}': {see} those it has.{hint}"
    if kind in ("MissingParameter", "BadParameter"):
        missing = f"'{command}' needs {_parameter(error)}: {see} what it takes."
        return missing if kind == "MissingParameter" else _bad_value(error, message, see)
    if kind == "BadOptionUsage":
        needs = "takes no value" if "does not take" in message else "needs a value"
        return f"The option '{error.option_name}' {needs}: {see} how it is written."
    return _bad_words(error, command, message, see)


def no_command(command: str, word: str, known: Iterable[str]) -> str:
    """A sentence about a command that there is not, with what may have been meant."""
    there = ELSEWHERE.get(f"{command} {word}")
    hint = f" It is '{there}'." if there else did_you_mean(word, known)
    name = word if command == "polympi" else f"{command} {word}"
    return f"There is no command '{name}': '{command} --help' shows those there are.{hint}"


def _bad_words(error: Any, command: str, message: str, see: str) -> str:
    if "No such command" in message:
        word, known = _quoted(message), list(getattr(error.ctx.command, "commands", {}))
        return no_command(command, word, known)
    if extra := re.search(r"unexpected extra argument\S* \((.*)\)", message, re.DOTALL):
        return f"'{command}' does not take '{extra[1]}': {see} what it takes."
    return f"The command line of '{command}' cannot be understood: {see} how it is written."


def _bad_value(error: Any, message: str, see: str) -> str:
    wanted = next((words for name, words in _KINDS.items() if re.search(rf"\b{name}\b", message)), None)
    needs = f"needs {wanted}" if wanted else "cannot have this value"
    return f"{_parameter(error)} {needs}: {see} what it takes."


def _parameter(error: Any) -> str:
    parameter = error.param
    if parameter is None:
        return "a value"
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name.upper())


def _quoted(message: str) -> str:
    found = re.search(r"(['\"])(.*?)\1", message, re.DOTALL)
    return found[2] if found else ""
