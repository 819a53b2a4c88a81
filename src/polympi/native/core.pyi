"""The native core, whichever MPI library it was compiled for. What is public here is documented in its docstrings."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, NoReturn, TypeVar, final, overload

from _typeshed import structseq
from typing_extensions import disjoint_base

_T = TypeVar("_T")
_Self = TypeVar("_Self", bound=Communicator)

ANY_SOURCE: Final[int]
ANY_TAG: Final[int]
PROC_NULL: Final[int]

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
class Request:
    @property
    def done(self) -> bool: ...
    @overload
    def wait(self, *, status: Literal[False] = False, timeout: float | None = None) -> Any: ...
    @overload
    def wait(self, *, status: Literal[True], timeout: float | None = None) -> tuple[Any, Status]: ...
    def test(self) -> bool: ...
    def cancel(self) -> bool: ...

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

@disjoint_base
class Communicator:
    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    def send(self, obj: object, dest: int, tag: int = 0, *, timeout: float | None = None) -> None: ...
    def ssend(self, obj: object, dest: int, tag: int = 0, *, timeout: float | None = None) -> None: ...
    def rsend(self, obj: object, dest: int, tag: int = 0, *, timeout: float | None = None) -> None: ...
    def bsend(self, obj: object, dest: int, tag: int = 0, *, timeout: float | None = None) -> None: ...
    def isend(self, obj: object, dest: int, tag: int = 0) -> Request: ...
    def issend(self, obj: object, dest: int, tag: int = 0) -> Request: ...
    def irsend(self, obj: object, dest: int, tag: int = 0) -> Request: ...
    def ibsend(self, obj: object, dest: int, tag: int = 0) -> Request: ...
    @overload
    def recv(
        self,
        source: int = ...,
        tag: int = ...,
        *,
        into: None = None,
        status: Literal[False] = False,
        timeout: float | None = None,
    ) -> Any: ...
    @overload
    def recv(
        self,
        source: int = ...,
        tag: int = ...,
        *,
        into: None = None,
        status: Literal[True],
        timeout: float | None = None,
    ) -> tuple[Any, Status]: ...
    @overload
    def recv(
        self,
        source: int = ...,
        tag: int = ...,
        *,
        into: _T,
        status: Literal[False] = False,
        timeout: float | None = None,
    ) -> _T: ...
    @overload
    def recv(
        self, source: int = ..., tag: int = ..., *, into: _T, status: Literal[True], timeout: float | None = None
    ) -> tuple[_T, Status]: ...
    def irecv(self, source: int = ..., tag: int = ..., *, into: object = None) -> Request: ...
    @overload
    def sendrecv(
        self,
        obj: object,
        dest: int,
        sendtag: int = 0,
        source: int = ...,
        recvtag: int = ...,
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
        source: int = ...,
        recvtag: int = ...,
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
        source: int = ...,
        recvtag: int = ...,
        *,
        into: _T,
        status: Literal[False] = False,
        timeout: float | None = None,
    ) -> _T: ...
    @overload
    def sendrecv(
        self,
        obj: object,
        dest: int,
        sendtag: int = 0,
        source: int = ...,
        recvtag: int = ...,
        *,
        into: _T,
        status: Literal[True],
        timeout: float | None = None,
    ) -> tuple[_T, Status]: ...
    def probe(self, source: int = ..., tag: int = ..., *, timeout: float | None = None) -> Status: ...
    def iprobe(self, source: int = ..., tag: int = ...) -> Status | None: ...
    def barrier(self, *, timeout: float | None = None) -> None: ...
    @overload
    def bcast(self, obj: _T | None = None, root: int = 0, *, into: None = None, timeout: float | None = None) -> _T: ...
    @overload
    def bcast(self, obj: object = None, root: int = 0, *, into: _T, timeout: float | None = None) -> _T: ...
    @overload
    def gather(self, x: _T, root: int = 0, *, into: None = None, timeout: float | None = None) -> list[_T] | None: ...
    @overload
    def gather(self, x: object, root: int = 0, *, into: _T, timeout: float | None = None) -> _T | None: ...
    @overload
    def scatter(
        self,
        pieces: object = None,
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
        into: _T,
        timeout: float | None = None,
    ) -> _T: ...
    @overload
    def allgather(self, x: _T, *, into: None = None, timeout: float | None = None) -> list[_T]: ...
    @overload
    def allgather(self, x: object, *, into: _T, timeout: float | None = None) -> _T: ...
    @overload
    def alltoall(
        self, pieces: Any, *, counts: Sequence[int] | None = None, into: None = None, timeout: float | None = None
    ) -> list[Any]: ...
    @overload
    def alltoall(
        self, pieces: Any, *, counts: Sequence[int] | None = None, into: _T, timeout: float | None = None
    ) -> _T: ...
    @overload
    def reduce(
        self, x: _T, op: Op = ..., root: int = 0, *, into: None = None, timeout: float | None = None
    ) -> _T | None: ...
    @overload
    def reduce(
        self, x: object, op: Op = ..., root: int = 0, *, into: _T, timeout: float | None = None
    ) -> _T | None: ...
    @overload
    def allreduce(self, x: _T, op: Op = ..., *, into: None = None, timeout: float | None = None) -> _T: ...
    @overload
    def allreduce(self, x: object, op: Op = ..., *, into: _T, timeout: float | None = None) -> _T: ...
    @overload
    def scan(self, x: _T, op: Op = ..., *, into: None = None, timeout: float | None = None) -> _T: ...
    @overload
    def scan(self, x: object, op: Op = ..., *, into: _T, timeout: float | None = None) -> _T: ...
    @overload
    def exscan(self, x: _T, op: Op = ..., *, into: None = None, timeout: float | None = None) -> _T | None: ...
    @overload
    def exscan(self, x: object, op: Op = ..., *, into: _T, timeout: float | None = None) -> _T | None: ...
    @overload
    def reduce_scatter(self, x: Any, op: Op = ..., *, into: None = None, timeout: float | None = None) -> Any: ...
    @overload
    def reduce_scatter(self, x: Any, op: Op = ..., *, into: _T, timeout: float | None = None) -> _T: ...
    def _exchange(
        self,
        call: tuple[int, int, float],
        obj: object,
        dest: int,
        source: int,
        excuse: Callable[[Exception], object],
        /,
    ) -> Any: ...
    @overload
    def split(self: _Self, color: int, key: int = 0) -> _Self: ...
    @overload
    def split(self: _Self, color: None, key: int = 0) -> None: ...
    @overload
    def split(self: _Self, color: int | None, key: int = 0) -> _Self | None: ...
    def dup(self: _Self) -> _Self: ...
    def free(self) -> None: ...

def wait_all(requests: Iterable[Request], *, timeout: float | None = None) -> list[Any]: ...
def wait_any(requests: Iterable[Request], *, timeout: float | None = None) -> tuple[int, Any]: ...
def test_all(requests: Iterable[Request], /) -> bool: ...
def start(level: int, timeout: float, communicator_class: type[_Self], settle: Callable[[], object], /) -> _Self: ...
def settle(say: Callable[[str], object], patient: bool, /) -> list[str]: ...
def finish() -> None: ...
def abort(code: int, /) -> NoReturn: ...
def expect_exit(status: int, /) -> None: ...
def owns_mpi() -> bool: ...
def phase() -> Literal["not started", "running", "finished", "forked"]: ...
def thread_level() -> int: ...
def crowded() -> bool: ...
def library_version() -> str: ...
def set_timeout(seconds: float, /) -> None: ...
def get_timeout() -> float: ...
def limit_of(function: str, timeout: float | None, /) -> float: ...
def set_buffer(nbytes: int, /) -> int: ...
def buffer_in_use() -> int: ...
