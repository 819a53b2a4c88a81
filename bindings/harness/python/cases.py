"""What Python interfaces have in common when they make callbacks for a case, around their own loops.

An interface derives from :class:`BufferCases` or :class:`ObjectCases` and has a method for each benchmark that it has
loops for, ``collective`` for all collectives, ``access`` for all accesses of windows, ``through_memory`` and
``through_file``; it gives the loops with their arguments. All of this happens before anything is timed: what is called
then are the loops themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import library_barrier
from applications import application_callbacks
from arena import UNSEEN, Arena, space
from buffers import DTYPES, MessageBuffers
from callbacks import Callbacks, UnsupportedCaseError
from catalogue import APIECE, BASIC, CREATING, ONE_SIDED, SHAPES, THROUGH, WINDOWED
from clock import clock
from faces import Faces
from halos import Halo
from layouts import Layouts
from objects import PAYLOADS, check_objects, expected_objects, make_object
from pieces import traffic
from plan import APPLICATIONS, COLLECTIVES, PAIRS
from timed_loops import from_common_start, one_by_one

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from applications import Application
    from callbacks import Call, World
    from common_start import CommonStart
    from pieces import Traffic
    from plan import Case, Plan

# MPI may keep the room of a buffered message until a later call, so there is room for more than the one in flight.
BUFFERED_MESSAGES = 4

# What an object may be longer as a message than the bytes that C sends: the pickle of an array adds some 150 bytes,
# a buffered message MPI.BSEND_OVERHEAD (about 100), and mpi4py's pkl5 makes up to three messages of one.
ROOM = 4096

PairLoops: TypeAlias = "tuple[Call, Call]"  # of rank 0 and of rank 1
CycleLoops: TypeAlias = "tuple[Call, Call]"  # of rank 0 and of the others
Loops: TypeAlias = "dict[str, Any]"  # attributes of Callbacks

# What MPI's names of sends have in front of "send".
SEND_MODES = {"standard": "", "synchronous": "s", "buffered": "b", "ready": "r"}

# Benchmarks whose method has the name of another.
METHODS = {"pingpong-int": "latency", "object": "latency"}
SEVERAL_HOSTS = "the ranks are on several hosts, which share no memory"
READING = ("read-at", "read-at-all")  # of the benchmarks with a file
NO_LOOPS = "this program has no loops for the benchmark"
# What lays out messages that lie in memory in a shape with gaps.
WITH_GAPS: dict[str, type[Faces | Layouts | Halo]] = {"face": Faces, "layout": Layouts, "halo": Halo}


def method(comm: Any, name: str) -> Call:
    """The method of a communicator for a collective.

    Raises:
        UnsupportedCaseError: it has none of this name.
    """
    call: Call | None = getattr(comm, name, None)
    if call is None:
        raise UnsupportedCaseError(f"this interface has no {name}")
    return call


def send_name(mode: str, completion: str = "") -> str:
    """MPI's name for a send in small letters, such as ``issend`` or ``bsend_init``.

    Args:
        mode: a key of :data:`SEND_MODES`.
        completion: empty for a blocking send, or ``nonblocking`` or ``persistent``.
    """
    before, after = "i" * (completion == "nonblocking"), "_init" * (completion == "persistent")
    return f"{before}{SEND_MODES[mode]}send{after}"


class _CasesOfAnInterface(ABC):
    """What both kinds of interfaces share.

    Args:
        world: all ranks, as the harness sees them.
        start: the common start of collective calls.
        plan: all cases.

    Attributes:
        finds_collectives: whether ``collective`` finds the call of any benchmark by its name; otherwise only those
            run that every program is expected to have loops for.
        timed: the module of the loops that ``both`` finds.
    """

    finds_collectives = False
    timed: ModuleType

    def __init__(self, world: World, start: CommonStart, plan: Plan) -> None:
        self.world = world
        self.start = start
        self.window = plan.window
        self.path = f"{plan.path}.file"  # of a file for benchmarks that take one

    def loops_of(self, case: Case) -> Call:
        """The method that gives the loops of a case: it takes the case, and what is sent and received.

        Raises:
            UnsupportedCaseError: the interface has none.
        """
        collective = case.benchmark in COLLECTIVES and case.benchmark not in CREATING
        name = METHODS.get(case.benchmark, case.benchmark)
        if case.benchmark in THROUGH:
            name = f"through_{THROUGH[case.benchmark]}"
        elif collective or case.benchmark in ONE_SIDED:
            name = "collective" if collective else "access"
        found: Call | None = getattr(self, name, None)
        if found is None or (collective and case.benchmark not in BASIC and not self.finds_collectives):
            raise UnsupportedCaseError(NO_LOOPS)
        return found

    @abstractmethod
    def refuse(self, case: Case) -> None:
        """Raise UnsupportedCaseError, on every rank, for a case that the interface has no calls for."""

    def traffic(self, case: Case) -> Traffic:
        """What this rank gives and gets in one iteration."""
        return traffic(case, self.world.rank, self.world.size, self.window)

    def pair(self, loops: PairLoops, of_a: Sequence[Any], of_b: Sequence[Any] | None = None) -> Loops:
        """The loops of two ranks with the arguments of each; those of rank 1 are the same where none are given."""
        a, b = loops
        if self.world.rank == 1:
            return {"batch": partial(b, *(of_a if of_b is None else of_b))}
        return self.alike(a, of_a)

    def both(self, name: str, of_a: Sequence[Any], of_b: Sequence[Any] | None = None) -> Loops:
        """The same for the loops that the module ``timed`` has by a name: ``..._a`` and ``..._b``."""
        return self.pair((getattr(self.timed, f"{name}_a"), getattr(self.timed, f"{name}_b")), of_a, of_b)

    def cycle(self, loops: CycleLoops, of_first: Sequence[Any], of_others: Sequence[Any]) -> Loops:
        """The loops of all ranks with the arguments of rank 0 and of the others; each also has its neighbours."""
        first, others = loops
        rank, ranks = self.world.rank, self.world.size
        neighbours = ((rank + 1) % ranks, (rank - 1) % ranks)
        if rank > 0:
            return {"batch": partial(others, *of_others, *neighbours)}
        return self.alike(first, (*of_first, *neighbours))

    def alike(self, loop: Call, given: Sequence[Any]) -> Loops:
        """The loops of two ranks that do the same."""
        return {"batch": partial(loop, *given), "events": partial(one_by_one(loop), *given, clock)}

    def together(self, loop: Call, given: Sequence[Any]) -> Loops:
        """The loops of a collective, the same on all ranks."""
        events = from_common_start(loop)
        return {"batch": partial(loop, *given), "events": partial(events, *given, self.start, clock)}

    def barrier(self, call: Call) -> Loops:
        """The loops of the library's barrier."""
        return self.together(library_barrier.barrier, [call])


class BufferCases(_CasesOfAnInterface):
    """Callbacks for NumPy arrays that are carved out of one arena."""

    def __init__(self, world: World, start: CommonStart, plan: Plan) -> None:
        super().__init__(world, start, plan)
        self.arena = Arena(max((self._space(case) for case in plan.cases), default=0))

    def prepare(self, case: Case) -> Callbacks:
        """This rank's callbacks for a case.

        Raises:
            UnsupportedCaseError: the payload is no buffer, or the interface refuses the case.
        """
        if case.benchmark in APPLICATIONS:
            return application_callbacks(case, self.application(case), self.world, self.start, clock)
        if case.payload not in (*DTYPES, "none"):
            raise UnsupportedCaseError(f"arrays hold bytes or numbers, not a payload '{case.payload}'")
        self.refuse(case)
        if case.benchmark in PAIRS and self.world.rank > 1:
            return Callbacks()
        if case.benchmark in SHAPES:
            return self._with_gaps(case)
        prepare = self.loops_of(case)
        buffers = MessageBuffers(case, self.traffic(case), self.arena, self.attached_bytes(case))
        loops = prepare(case, buffers)
        return Callbacks(**{"clear": buffers.clear, "check": lambda _: buffers.check(), **loops})

    def accesses(
        self,
        case: Case,
        buffers: MessageBuffers,
        of_a: Sequence[Any],
        of_b: Sequence[Any],
        ends: tuple[Call, Call],
        unit: int = 1,
    ) -> Loops:
        """The loops of rank 0, which accesses a window of rank 1, and of rank 1, with what they call.

        Args:
            case: its mode is how accesses are completed, and part of the loops' names.
            buffers: what rank 0 sends, or receives.
            of_a: first arguments of rank 0; then comes its buffer, or each with its place in the window.
            of_b: arguments of rank 1.
            ends: what rank 0 calls before a series of iterations, and after it.
            unit: bytes in which places are counted.
        """
        name = {"flush": "flushed", "fence": "fenced"}[case.mode]
        slots = [*buffers.outgoing, *buffers.incoming]
        given: Any = slots[0]
        if case.benchmark in WINDOWED:
            given = [(slot, k * space([case.size]) // unit) for k, slot in enumerate(slots)]
        windowed = "_window" if case.benchmark in WINDOWED else ""
        loops = (getattr(self.timed, f"{name}{windowed}_a"), getattr(self.timed, f"{name}_b"))
        of_both = self.pair(loops, (*of_a, given), of_b)
        return of_both if self.world.rank == 1 else {**of_both, "begin": ends[0], "finish": ends[1]}

    def _with_gaps(self, case: Case) -> Callbacks:
        prepare = self.loops_of(case)
        laid = WITH_GAPS[SHAPES[case.benchmark]](case, self.world.rank, self.arena)
        loops = prepare(case, laid)
        return Callbacks(**{"clear": laid.clear, "check": lambda _: laid.check(), **loops})

    def _space(self, case: Case) -> int:
        if case.benchmark in APPLICATIONS:
            return 0  # its arrays are the program's own
        if case.benchmark in SHAPES:
            return WITH_GAPS[SHAPES[case.benchmark]].space(case) if self.world.rank < 2 else 0
        return MessageBuffers.space(case, self.traffic(case), self.attached_bytes(case))

    def attached_bytes(self, case: Case) -> int:  # noqa: ARG002
        """Bytes of ``buffers.extra``, for an interface that attaches its own buffer."""
        return 0

    def application(self, case: Case) -> Application:
        """What makes the iterations of an application, which not every interface has."""
        raise UnsupportedCaseError(f"this program has no {case.benchmark}")


class ObjectCases(_CasesOfAnInterface):
    """Callbacks for objects, with an arena for what an interface needs besides (posted receives, acknowledgements)."""

    def __init__(self, world: World, start: CommonStart, plan: Plan) -> None:
        super().__init__(world, start, plan)
        self.arena = Arena(max((space(self.sizes(case)) for case in plan.cases), default=0))

    def prepare(self, case: Case) -> Callbacks:
        """This rank's callbacks for a case.

        Raises:
            UnsupportedCaseError: the payload is no object, or the interface refuses the case.
        """
        if case.payload not in PAYLOADS:
            raise UnsupportedCaseError(f"what is sent is an object, not a payload '{case.payload}'")
        self.refuse(case)
        if case.benchmark in PAIRS and self.world.rank > 1:
            return Callbacks()
        prepare = self.loops_of(case)
        given = self.traffic(case)
        objects = [make_object(case, piece) for piece in given.outgoing]
        expected = expected_objects(case, given.incoming)
        buffers = self.arena.carve(self.sizes(case))
        loops = prepare(case, objects, buffers)

        def clear() -> None:
            for slot in buffers[:-1]:
                slot.fill(UNSEEN)

        def check(received: Any) -> str:
            # In bibandwidth what the sends return comes after what was received.
            in_window = case.benchmark == "bibandwidth"
            return check_objects(received[: self.window] if in_window else received, expected)

        return Callbacks(**{"clear": clear, "check": check, **loops})

    def sizes(self, case: Case) -> list[int]:  # noqa: ARG002
        """Bytes of the buffers in the arena; the last is no receive buffer (an acknowledgement, what is attached)."""
        return [1]

    def given(self, case: Case, objects: list[Any]) -> Any:
        """What this rank hands a collective: one object, or one for each rank, or None."""
        if case.benchmark in APIECE:
            return objects or None
        return objects[0] if objects else None
