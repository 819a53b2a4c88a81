"""What the programs for the older modules share around their loops: which cases there are, and collectives.

A module says in ``OFFERS`` which benchmarks, in which modes, its program has calls for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from applications import load_application
from callbacks import UnsupportedCaseError
from cases import BufferCases, ObjectCases
from objects import PAYLOADS

import polympi as mpi

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from applications import Application
    from buffers import MessageBuffers
    from callbacks import Buffer, Call, Callbacks
    from cases import Loops
    from faces import Faces
    from layouts import Layouts
    from plan import Case

    Offers: TypeAlias = Mapping[str, Sequence[str]]  # by benchmark its modes

NO_LOOPS = "this program has no loops for the benchmark"


class ArrayStyle(BufferCases):
    """Callbacks for a module that sends NumPy arrays to a receiver that knows their type and size."""

    OFFERS: ClassVar[Offers]
    MODULE = ""  # in the names of its applications

    def refuse(self, case: Case) -> None:
        """What the module has no call for."""
        _refuse(case, self.OFFERS)

    def application(self, case: Case) -> Application:
        """The application, in the module's style."""
        return _application(case, self.MODULE)

    def faces(self, case: Case, cube: Faces) -> Loops:  # noqa: ARG002
        """None."""
        raise UnsupportedCaseError(NO_LOOPS)

    def datatype(self, case: Case, laid: Layouts) -> Loops:  # noqa: ARG002
        """None."""
        raise UnsupportedCaseError(NO_LOOPS)

    def bandwidth(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """None."""
        raise UnsupportedCaseError(NO_LOOPS)

    bibandwidth = stream = bandwidth

    def spread(self, call: Call, *given: Any) -> Loops:
        """The loops of a collective with its arguments."""
        return self.together(calls, (call, given))


class ObjectStyle(ObjectCases):
    """Callbacks for a module that sends any object to a receiver that knows nothing of it."""

    OFFERS: ClassVar[Offers]
    MODULE = ""

    def prepare(self, case: Case) -> Callbacks:
        """Also an application, which sends objects, too."""
        if case.payload == "problem":
            return prepared_application(self, case)
        return super().prepare(case)

    def refuse(self, case: Case) -> None:
        """What the module has no call for."""
        _refuse(case, self.OFFERS)

    def application(self, case: Case) -> Application:
        """The application, in the module's style."""
        return _application(case, self.MODULE)

    def bandwidth(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """None."""
        raise UnsupportedCaseError(NO_LOOPS)

    bibandwidth = stream = bandwidth

    def spread(self, call: Call, *given: Any) -> Loops:
        """The loops of a collective with its arguments."""
        return self.together(calls, (call, given))


class BothStyles:
    """Callbacks for a module that sends arrays and other objects by different calls."""

    def __init__(self, arrays: ArrayStyle, objects: ObjectStyle) -> None:
        self._arrays, self._objects = arrays, objects
        self.arena = arrays.arena

    def prepare(self, case: Case) -> Callbacks:
        """This rank's callbacks for a case."""
        of_objects = case.payload in PAYLOADS and case.payload not in ("bytes", "none")
        return (self._objects if of_objects else self._arrays).prepare(case)


def prepared_application(cases: ObjectStyle, case: Case) -> Callbacks:
    """The callbacks of an application."""
    from applications import application_callbacks
    from clock import clock

    return application_callbacks(case, cases.application(case), cases.world, cases.start, clock)


def arrived(buffers: MessageBuffers) -> Call:
    """The check of a module that gives what came as a new array: it is put where others receive it."""

    def check(received: Any) -> str:
        for place in buffers.incoming:
            if received is None or received.dtype != place.dtype or received.shape != place.shape:
                came = "nothing" if received is None else f"{received.dtype}{received.shape}"
                return f"{came} arrived instead of {place.dtype}{place.shape}"
            place[:] = received
        return buffers.check()

    return check


def _refuse(case: Case, offers: Offers) -> None:
    if case.benchmark not in offers:
        raise UnsupportedCaseError("the module has no such call, or its program no loops for it")
    if case.mode not in offers[case.benchmark]:
        raise UnsupportedCaseError(f"the module has no {case.mode} in {case.benchmark}")


def _application(case: Case, module: str) -> Application:
    """The inner product is a program of each module's own; of other applications only the communication is."""
    if case.benchmark == "inner-product":
        return load_application(case, mpi.world, f"_{module}")
    if case.benchmark not in ("wave", "poisson-cg"):
        raise UnsupportedCaseError(NO_LOOPS)
    return load_application(case, mpi.world, "_modules", module=module)


# Collectives of modules have from one to eight arguments, which are spread from a tuple: some 0.01 µs a call.


def calls(call: Call, given: Sequence[Any], iterations: int) -> Any:
    """Calls in a row; the collective itself holds the ranks together."""
    received = None
    for _ in range(iterations):
        received = call(*given)
    return received
