"""Calls of facades that the core makes at once, without a function of Python between."""

from __future__ import annotations

from typing import cast

from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    import polympi

    Function = TypeVar("Function", bound=Callable[..., Any])


def adapted(
    where: polympi.Communicator | Mapping[int, polympi.Communicator] | type, roles: str, **options: Any
) -> Callable[[Function], Function]:
    """Make of a function one of which the core makes the usual calls itself.

    Whatever is not usual is left to the function, with the same arguments: other types, special ranks, wrong arguments.
    So the function has to do all that the call does, and says what is wrong. ``help`` and the like show the function.

    Args:
        where: the communicator; or a dictionary of them, of which the argument ``comm`` is a key; or a class, of
            which the argument is an object that has it in the slot ``_comm``.
        roles: what the parameters of the function mean, in their order, in words. One with ``!`` must be given,
            whatever default it has.

            - ``object`` is what is sent. A function without it receives, unless it is a collective.
            - ``peer`` and ``tag`` are that; ``into`` is the array to receive into.
            - ``ignored`` means nothing to polympi. A true ``unusual`` makes a call unusual, and a true ``array`` one
              without an array. With anything but None as ``absent`` it is unusual, too.
            - ``root`` and ``op``, a key of ``ops``, are those of a collective.
            - ``count`` and ``datatype``, a key of ``dtypes``, say what an array of one axis has; ``into_count`` and
              ``into_datatype`` likewise of what comes, if that differs. ``comm`` is a key of ``where``; of a
              collective it always stands for the same communicator, until that is freed.
        options: all of them may be left out.

            - ``tag``: that of a call without one; otherwise any. ``reserved``: one that is unusual.
            - ``wildcards=False``: polympi's numbers for any source and tag are unusual; None still stands for them.
            - ``data=True``: only arrays and texts are usual. ``excluded``: a class whose objects are not.
            - ``answer``: what a send gives.
            - ``status``, a class below tuple: a receive gives the pair of what came and of ``(source, tag, 0)``;
              otherwise what came. ``counted=True``: the array, source, tag, and the elements that came. ``text=True``:
              a text, source and tag.
            - ``collective``: the name of polympi's, which the function makes, and ``ops``: its operations.
              ``answers=True``: it gives always ``answer``; so does a call with a true ``array``. ``as_tuple=True``: it
              gives a list as a tuple.
            - ``form``: what a collective is given. ``any``: any object. ``filled``: any object at the root; elsewhere
              an array is filled, and returned. ``arrays``: an array, and one for the result, which is returned, or a
              new one where there is none; or texts. ``pieces``: a list or tuple for all ranks. ``slices``: an array,
              a text or a list, which is cut into equal slices for all ranks. ``items``: those of all ranks become one
              list. ``rows``: arrays as count and datatype say; the result is a new one. With ``places``, where pieces
              begin, count is one number for each rank, and so it is with ``into_places`` and ``into_count``.
            - ``failed``: is called with an error of polympi and the arguments, and returns or raises what comes of it.
            - ``mismatched``: is called with what came and the arguments if it is not the array that count and datatype
              describe; with the text, source and tag if it is no text; with what polympi's collective gave. It returns
              what the call gives.
    """

    def make(function: Function) -> Function:
        bound = hasattr(function, "__self__")  # a method of an object: its first parameter is not one of the call
        code = function.__code__
        names = code.co_varnames[bound : code.co_argcount]
        needed = len(names) - len(function.__defaults__ or ())
        parameters = tuple(
            (None if place < code.co_posonlyargcount else name, role.rstrip("!"), place < needed or role[-1] == "!")
            for place, (name, role) in enumerate(zip(names, roles.split(), strict=True))
        )
        return cast("Function", core.Adapted(function, where, parameters, **options))

    return make


def adapt_method(
    instance: object, owner: type, name: str, where: polympi.Communicator, roles: str, **options: Any
) -> None:
    """Put an adapted method into an object of a class, unless a class below it has another method of this name."""
    if getattr(type(instance), name) is getattr(owner, name):
        vars(instance)[name] = adapted(where, roles, **options)(getattr(owner, name).__get__(instance))
