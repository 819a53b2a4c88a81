"""The public names, for type checkers and completion: `__init__.py` imports each when it is first used."""

from typing import Final

from polympi.background import progress_thread as progress_thread
from polympi.block import Block as Block
from polympi.buffered import (
    buffer_attach as buffer_attach,
    buffer_detach as buffer_detach,
)
from polympi.cartesian import Cartesian as Cartesian
from polympi.communicator import Communicator as Communicator
from polympi.completion import as_completed as as_completed, wait_some as wait_some
from polympi.errors import (
    EndedError as EndedError,
    Error as Error,
    FileError as FileError,
    LauncherError as LauncherError,
    LibraryError as LibraryError,
    MismatchError as MismatchError,
    NoBufferError as NoBufferError,
    RankError as RankError,
    RemoteError as RemoteError,
    StateError as StateError,
    TagError as TagError,
    Timeout as Timeout,
    TruncationError as TruncationError,
)
from polympi.file import File as File
from polympi.graph import Graph as Graph
from polympi.halo import Halo as Halo
from polympi.intercommunicator import Intercommunicator as Intercommunicator
from polympi.launching.ranks import Ranks as Ranks, launch as launch
from polympi.library import get_include as get_include, library_path as library_path
from polympi.native.core import (
    Raw as Raw,
    Plan as Plan,
    Request as Request,
    Status as Status,
    progress as progress,
    test_all as test_all,
    wait_all as wait_all,
    wait_any as wait_any,
)
from polympi.npy import load_npy as load_npy, save_npy as save_npy
from polympi.operations import (
    BAND as BAND,
    BOR as BOR,
    BXOR as BXOR,
    LAND as LAND,
    LOR as LOR,
    LXOR as LXOR,
    MAX as MAX,
    MAXLOC as MAXLOC,
    MIN as MIN,
    MINLOC as MINLOC,
    PROD as PROD,
    SUM as SUM,
    op as op,
)
from polympi.partners import (
    raw as raw,
    wrap as wrap,
)
from polympi.spawning import spawn as spawn
from polympi.startup import (
    abort as abort,
    finalize as finalize,
    init as init,
    library_version as library_version,
    processor_name as processor_name,
    thread_level as thread_level,
)
from polympi.turns import (
    in_turn as in_turn,
    logging_filter as logging_filter,
    print as print,  # noqa: A004  (it is used as polympi.print)
)
from polympi.waits import waiting as waiting
from polympi.window import Window as Window
from polympi.workers.failures import WorkerError as WorkerError
from polympi.workers.pool import Pool as Pool, pool as pool

__all__ = [
    "ANY_SOURCE",
    "ANY_TAG",
    "BAND",
    "BOR",
    "BXOR",
    "LAND",
    "LOR",
    "LXOR",
    "MAX",
    "MAXLOC",
    "MIN",
    "MINLOC",
    "PROC_NULL",
    "PROD",
    "ROOT",
    "SUM",
    "Block",
    "Cartesian",
    "Communicator",
    "EndedError",
    "Error",
    "File",
    "FileError",
    "Graph",
    "Halo",
    "Intercommunicator",
    "LauncherError",
    "LibraryError",
    "MismatchError",
    "NoBufferError",
    "Plan",
    "Pool",
    "RankError",
    "Ranks",
    "Raw",
    "RemoteError",
    "Request",
    "StateError",
    "Status",
    "TagError",
    "Timeout",
    "TruncationError",
    "Window",
    "WorkerError",
    "abort",
    "as_completed",
    "buffer_attach",
    "buffer_detach",
    "finalize",
    "get_include",
    "in_turn",
    "init",
    "launch",
    "library_path",
    "library_version",
    "load_npy",
    "logging_filter",
    "op",
    "parent",
    "pool",
    "processor_name",
    "progress",
    "progress_thread",
    "raw",
    "raw_world",
    "save_npy",
    "self_world",
    "spawn",
    "test_all",
    "thread_level",
    "wait_all",
    "wait_any",
    "wait_some",
    "waiting",
    "world",
    "wrap",
]

__version__: str
world: Communicator
raw_world: Raw
self_world: Communicator
parent: Intercommunicator | None
ANY_SOURCE: Final[int]
ANY_TAG: Final[int]
PROC_NULL: Final[int]
ROOT: Final[int]
