"""The native core, whichever MPI library it was compiled for. What is public here is documented in its docstrings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import GenericAlias
from typing import Any, Final, Generic, Literal, NoReturn, Protocol, final, overload

from _typeshed import structseq
from numpy.typing import NDArray
from typing_extensions import Buffer, TypeVar, disjoint_base

class _DLPack(Protocol):
    def __dlpack__(self, *, stream: Any = ...) -> Any: ...

_T = TypeVar("_T")
_Received_co = TypeVar("_Received_co", covariant=True, default=Any)
_Array = TypeVar("_Array", bound=NDArray[Any])
_Into = TypeVar("_Into", bound=Buffer | _DLPack)  # memory to receive into
_Self = TypeVar("_Self", bound=Communicator)

ANY_SOURCE: Final[int]
ANY_TAG: Final[int]
PROC_NULL: Final[int]

@final
class Op:
    def __new__(cls, function: Callable[[Any, Any], object], commutative: bool, name: str) -> Op: ...
    @property
    def name(self) -> str: ...
    @property
    def commutative(self) -> bool: ...
    def __call__(self, lower: Any, higher: Any, /) -> Any: ...

SUM: Final[Op]
PROD: Final[Op]
MIN: Final[Op]
MAX: Final[Op]
LAND: Final[Op]
LOR: Final[Op]
LXOR: Final[Op]
BAND: Final[Op]
BOR: Final[Op]
BXOR: Final[Op]
MINLOC: Final[Op]
MAXLOC: Final[Op]

@final
class Status(structseq[int | None], tuple[int, int, int | None, int | None]):
    __match_args__: Final = ("source", "tag", "elements", "nbytes")
    @property
    def source(self) -> int: ...
    @property
    def tag(self) -> int: ...
    @property
    def elements(self) -> int | None: ...
    @property
    def nbytes(self) -> int | None: ...

@final
class Request(Generic[_Received_co]):
    @property
    def done(self) -> bool: ...
    @overload
    def wait(self, *, status: Literal[False] = False, timeout: float | None = None) -> _Received_co: ...
    @overload
    def wait(self, *, status: Literal[True], timeout: float | None = None) -> tuple[_Received_co, Status]: ...
    def test(self) -> bool: ...
    def cancel(self) -> bool: ...
    @classmethod
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

@final
class Plan:
    def send(self, array: object, dest: int, tag: int = 0) -> None: ...
    def recv(self, array: object, source: int, tag: int = 0) -> None: ...
    def agree(self, *, timeout: float | None = None) -> None: ...
    def __call__(self, *, timeout: float | None = None) -> None: ...
    def start(self, *, timeout: float | None = None) -> None: ...
    def test(self) -> bool: ...
    def finish(self, *, timeout: float | None = None) -> None: ...
    def free(self) -> None: ...
    def __len__(self) -> int: ...
    def __enter__(self) -> Plan: ...
    def __exit__(self, *args: object) -> None: ...

@final
class Plain:
    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def handle(self) -> int: ...
    @property
    def handle_size(self) -> int: ...
    @property
    def fortran_handle(self) -> int: ...
    def send(self, array: object, dest: int, tag: int = 0, *, timeout: float | None = None) -> None: ...
    def isend(self, array: object, dest: int, tag: int = 0) -> Request[None]: ...
    @overload
    def recv(
        self,
        into: _Into,
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
        *,
        status: Literal[False] = False,
        timeout: float | None = None,
    ) -> _Into: ...
    @overload
    def recv(
        self,
        into: _Into,
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
        *,
        status: Literal[True],
        timeout: float | None = None,
    ) -> tuple[_Into, Status]: ...
    def irecv(self, into: _Into, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request[_Into]: ...
    @overload
    def sendrecv(
        self,
        array: object,
        dest: int,
        sendtag: int = 0,
        into: _Into | None = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        *,
        status: Literal[False] = False,
        timeout: float | None = None,
    ) -> _Into: ...
    @overload
    def sendrecv(
        self,
        array: object,
        dest: int,
        sendtag: int = 0,
        into: _Into | None = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        *,
        status: Literal[True],
        timeout: float | None = None,
    ) -> tuple[_Into, Status]: ...
    def probe(
        self, source: int = ANY_SOURCE, tag: int = ANY_TAG, *, dtype: object = None, timeout: float | None = None
    ) -> Status: ...
    def iprobe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, *, dtype: object = None) -> Status | None: ...
    def barrier(self, *, timeout: float | None = None) -> None: ...
    def bcast(self, array: _T, root: int = 0, *, timeout: float | None = None) -> _T: ...
    def gather(
        self, array: object, into: _Into | None = None, root: int = 0, *, timeout: float | None = None
    ) -> _Into | None: ...
    def gatherv(
        self,
        array: object,
        into: _Into | None = None,
        counts: Sequence[int] | None = None,
        root: int = 0,
        *,
        timeout: float | None = None,
    ) -> _Into | None: ...
    def scatter(
        self, array: object = None, into: _Into | None = None, root: int = 0, *, timeout: float | None = None
    ) -> _Into: ...
    def scatterv(
        self,
        array: object = None,
        into: _Into | None = None,
        counts: Sequence[int] | None = None,
        root: int = 0,
        *,
        timeout: float | None = None,
    ) -> _Into: ...
    def allgather(self, array: object, into: _Into, *, timeout: float | None = None) -> _Into: ...
    def allgatherv(
        self, array: object, into: _Into, counts: Sequence[int], *, timeout: float | None = None
    ) -> _Into: ...
    def alltoall(self, array: object, into: _Into, *, timeout: float | None = None) -> _Into: ...
    def alltoallv(
        self,
        array: object,
        into: _Into,
        counts: Sequence[int],
        into_counts: Sequence[int],
        *,
        timeout: float | None = None,
    ) -> _Into: ...
    def reduce(
        self,
        array: object,
        into: _Into | None = None,
        op: Op | None = SUM,
        root: int = 0,
        *,
        timeout: float | None = None,
    ) -> _Into | None: ...
    def allreduce(self, array: object, into: _Into, op: Op | None = SUM, *, timeout: float | None = None) -> _Into: ...
    def scan(self, array: object, into: _Into, op: Op | None = SUM, *, timeout: float | None = None) -> _Into: ...
    def exscan(self, array: object, into: _Into, op: Op | None = SUM, *, timeout: float | None = None) -> _Into: ...
    @overload
    def split(self, color: int, key: int = 0, *, timeout: float | None = None) -> Plain: ...
    @overload
    def split(self, color: None, key: int = 0, *, timeout: float | None = None) -> None: ...
    @overload
    def split(self, color: int | None, key: int = 0, *, timeout: float | None = None) -> Plain | None: ...
    def dup(self, *, timeout: float | None = None) -> Plain: ...
    def free(self) -> None: ...

@final
class Adapted:
    __name__: Final[str]
    __qualname__: Final[str]
    __wrapped__: Final[Callable[..., Any]]
    calls: Final[int]
    def __new__(
        cls,
        otherwise: Callable[..., Any],
        where: Communicator | Mapping[int, Communicator] | type,
        parameters: tuple[tuple[str | None, str, bool], ...],
        *,
        wildcards: bool = True,
        data: bool = False,
        counted: bool = False,
        text: bool = False,
        answers: bool = False,
        as_tuple: bool = False,
        tag: int = ...,
        reserved: int = -1,
        form: str = "any",
        excluded: type | None = None,
        dtypes: Mapping[int, Any] | None = None,
        ops: Mapping[Any, Op] | None = None,
        answer: object = None,
        status: type[tuple[int, int, int]] | None = None,
        failed: Callable[..., Any] | None = None,
        mismatched: Callable[..., Any] | None = None,
        collective: str | None = None,
    ) -> Adapted: ...
    @property
    def last(self) -> tuple[int, int, int, int] | None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

@disjoint_base
class Communicator:
    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def plain(self) -> Plain: ...
    @property
    def handle(self) -> int: ...
    @property
    def handle_size(self) -> int: ...
    @property
    def fortran_handle(self) -> int: ...
    def send(self, obj: object, dest: int, tag: int = 0, *, timeout: float | None = None) -> None: ...
    def ssend(self, obj: object, dest: int, tag: int = 0, *, timeout: float | None = None) -> None: ...
    def rsend(self, obj: object, dest: int, tag: int = 0, *, timeout: float | None = None) -> None: ...
    def bsend(self, obj: object, dest: int, tag: int = 0, *, timeout: float | None = None) -> None: ...
    def isend(self, obj: object, dest: int, tag: int = 0) -> Request[None]: ...
    def issend(self, obj: object, dest: int, tag: int = 0) -> Request[None]: ...
    def irsend(self, obj: object, dest: int, tag: int = 0) -> Request[None]: ...
    def ibsend(self, obj: object, dest: int, tag: int = 0) -> Request[None]: ...
    @overload
    def recv(
        self,
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
        *,
        into: None = None,
        status: Literal[False] = False,
        timeout: float | None = None,
    ) -> Any: ...
    @overload
    def recv(
        self,
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
        *,
        into: None = None,
        status: Literal[True],
        timeout: float | None = None,
    ) -> tuple[Any, Status]: ...
    @overload
    def recv(
        self,
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
        *,
        into: _Into,
        status: Literal[False] = False,
        timeout: float | None = None,
    ) -> _Into: ...
    @overload
    def recv(
        self,
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
        *,
        into: _Into,
        status: Literal[True],
        timeout: float | None = None,
    ) -> tuple[_Into, Status]: ...
    @overload
    def irecv(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, *, into: None = None) -> Request[Any]: ...
    @overload
    def irecv(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, *, into: _Into) -> Request[_Into]: ...
    @overload
    def sendrecv(
        self,
        obj: object,
        dest: int,
        sendtag: int = 0,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        *,
        into: None = None,
        status: Literal[False] = False,
        timeout: float | None = None,
    ) -> Any: ...
    @overload
    def sendrecv(
        self,
        obj: object,
        dest: int,
        sendtag: int = 0,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        *,
        into: None = None,
        status: Literal[True],
        timeout: float | None = None,
    ) -> tuple[Any, Status]: ...
    @overload
    def sendrecv(
        self,
        obj: object,
        dest: int,
        sendtag: int = 0,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        *,
        into: _Into,
        status: Literal[False] = False,
        timeout: float | None = None,
    ) -> _Into: ...
    @overload
    def sendrecv(
        self,
        obj: object,
        dest: int,
        sendtag: int = 0,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        *,
        into: _Into,
        status: Literal[True],
        timeout: float | None = None,
    ) -> tuple[_Into, Status]: ...
    def probe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, *, timeout: float | None = None) -> Status: ...
    def iprobe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Status | None: ...
    def plan(self) -> Plan: ...
    def barrier(self, *, timeout: float | None = None) -> None: ...
    @overload
    def bcast(self, obj: _T | None = None, root: int = 0, *, into: None = None, timeout: float | None = None) -> _T: ...
    @overload
    def bcast(self, obj: object = None, root: int = 0, *, into: _Into, timeout: float | None = None) -> _Into: ...
    @overload
    def gather(self, x: _T, root: int = 0, *, into: None = None, timeout: float | None = None) -> list[_T] | None: ...
    @overload
    def gather(self, x: object, root: int = 0, *, into: _Into, timeout: float | None = None) -> _Into | None: ...
    @overload
    def scatter(
        self,
        pieces: None = None,
        root: int = 0,
        *,
        counts: Sequence[int] | None = None,
        into: None = None,
        timeout: float | None = None,
    ) -> Any: ...
    @overload
    def scatter(  # type: ignore[overload-overlap]  # None alone is the case above
        self,
        pieces: list[_T] | tuple[_T, ...] | None,
        root: int = 0,
        *,
        counts: Sequence[int] | None = None,
        into: None = None,
        timeout: float | None = None,
    ) -> _T: ...
    @overload
    def scatter(
        self,
        pieces: _Array | None,
        root: int = 0,
        *,
        counts: Sequence[int] | None = None,
        into: None = None,
        timeout: float | None = None,
    ) -> _Array: ...
    @overload
    def scatter(
        self,
        pieces: object,
        root: int = 0,
        *,
        counts: Sequence[int] | None = None,
        into: None = None,
        timeout: float | None = None,
    ) -> Any: ...
    @overload
    def scatter(
        self,
        pieces: object = None,
        root: int = 0,
        *,
        counts: Sequence[int] | None = None,
        into: _Into,
        timeout: float | None = None,
    ) -> _Into: ...
    @overload
    def allgather(self, x: _T, *, into: None = None, timeout: float | None = None) -> list[_T]: ...
    @overload
    def allgather(self, x: object, *, into: _Into, timeout: float | None = None) -> _Into: ...
    @overload
    def alltoall(
        self,
        pieces: list[_T] | tuple[_T, ...],
        *,
        counts: Sequence[int] | None = None,
        into: None = None,
        timeout: float | None = None,
    ) -> list[_T]: ...
    @overload
    def alltoall(
        self,
        pieces: _Array,
        *,
        counts: Sequence[int] | None = None,
        into: None = None,
        timeout: float | None = None,
    ) -> list[_Array]: ...
    @overload
    def alltoall(
        self,
        pieces: object,
        *,
        counts: Sequence[int] | None = None,
        into: None = None,
        timeout: float | None = None,
    ) -> list[Any]: ...
    @overload
    def alltoall(
        self, pieces: object, *, counts: Sequence[int] | None = None, into: _Into, timeout: float | None = None
    ) -> _Into: ...
    @overload
    def reduce(
        self, x: _T, op: Op | None = SUM, root: int = 0, *, into: None = None, timeout: float | None = None
    ) -> _T | None: ...
    @overload
    def reduce(
        self, x: object, op: Op | None = SUM, root: int = 0, *, into: _Into, timeout: float | None = None
    ) -> _Into | None: ...
    @overload
    def allreduce(self, x: _T, op: Op | None = SUM, *, into: None = None, timeout: float | None = None) -> _T: ...
    @overload
    def allreduce(self, x: object, op: Op | None = SUM, *, into: _Into, timeout: float | None = None) -> _Into: ...
    @overload
    def scan(self, x: _T, op: Op | None = SUM, *, into: None = None, timeout: float | None = None) -> _T: ...
    @overload
    def scan(self, x: object, op: Op | None = SUM, *, into: _Into, timeout: float | None = None) -> _Into: ...
    @overload
    def exscan(self, x: _T, op: Op | None = SUM, *, into: None = None, timeout: float | None = None) -> _T | None: ...
    @overload
    def exscan(self, x: object, op: Op | None = SUM, *, into: _Into, timeout: float | None = None) -> _Into | None: ...
    @overload
    def reduce_scatter(
        self, x: list[_T] | tuple[_T, ...], op: Op | None = SUM, *, into: None = None, timeout: float | None = None
    ) -> _T: ...
    @overload
    def reduce_scatter(
        self, x: _Array, op: Op | None = SUM, *, into: None = None, timeout: float | None = None
    ) -> _Array: ...
    @overload
    def reduce_scatter(
        self, x: object, op: Op | None = SUM, *, into: None = None, timeout: float | None = None
    ) -> Any: ...
    @overload
    def reduce_scatter(self, x: object, op: Op | None = SUM, *, into: _Into, timeout: float | None = None) -> _Into: ...
    def _exchange(
        self,
        call: tuple[int, int, float],
        obj: object,
        dest: int,
        source: int,
        excuse: Callable[[Exception], object],
        /,
    ) -> Any: ...
    def _tree(self) -> tuple[int, tuple[int, ...]]: ...
    @overload
    def split(self: _Self, color: int, key: int = 0) -> _Self: ...
    @overload
    def split(self: _Self, color: None, key: int = 0) -> None: ...
    @overload
    def split(self: _Self, color: int | None, key: int = 0) -> _Self | None: ...
    def dup(self: _Self) -> _Self: ...
    def _dup_for_others(self) -> int: ...
    def free(self) -> None: ...

def wait_all(requests: Iterable[Request[_T]], *, timeout: float | None = None) -> list[_T]: ...
def wait_any(requests: Iterable[Request[_T]], *, timeout: float | None = None) -> tuple[int, _T]: ...
def test_all(requests: Iterable[Request], /) -> bool: ...
def start_mpi(level: int, timeout: float, settle: Callable[[], object], /) -> Plain: ...
def start_world(communicator_class: type[_Self], plain: Plain, /) -> _Self: ...
def wrap(communicator_class: type[_Self], handle: int, /) -> _Self: ...
def plain_of_handle(handle: int, /) -> Plain: ...
def from_fortran(handle: int, /) -> int: ...
def settle(say: Callable[[str], object], patient: bool, /) -> list[str]: ...
def finish() -> None: ...
def abort(code: int, /) -> NoReturn: ...
def expect_exit(status: int, /) -> None: ...
def end_at_once(status: int, /) -> None: ...
def owns_mpi() -> bool: ...
def phase() -> Literal["not started", "running", "finished", "forked"]: ...
def thread_level() -> int: ...
def crowded() -> bool: ...
def machine() -> int: ...
def rank_and_host(comm: Communicator, rank: int, /) -> str: ...
def own_host() -> str | None: ...
def library_version() -> str: ...
def set_timeout(seconds: float, /) -> None: ...
def get_timeout() -> float: ...
def limit_of(function: str, timeout: float | None, /) -> float: ...
def set_buffer(nbytes: int, /) -> int: ...
def buffer_in_use() -> int: ...
def mpi4py_accelerate(mpi: object, help: object, /) -> None: ...  # noqa: A002
def mpi4py_open(type: type[Communicator], world: Communicator, /) -> None: ...  # noqa: A002
def mpi4py_is_attached(comm: object, /) -> bool: ...
def mpi4py_is_joint(comm: object, /) -> bool: ...
def mpi4py_replace(type: type, name: str, value: object, /) -> None: ...  # noqa: A002
def mpi4py_pickled(function: Callable[[Any], object] | None, /) -> None: ...
def mpi4py_is_of_object(request: object, /) -> bool: ...
def mpi4py_copy_status(status: object, found: object, /) -> None: ...
def mpi4py_status(status: object, source: int, tag: int, nbytes: int | None, cancelled: bool, /) -> None: ...
def mpi4py_stop() -> None: ...
def mpi4py_wait_until(look: Callable[[], _T | None], operation: str, /) -> _T: ...
