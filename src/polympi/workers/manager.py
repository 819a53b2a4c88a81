"""The thread of the root that receives what workers send, and notices those that end."""

from __future__ import annotations

import threading
import time

from polympi.errors import Error, Timeout
from polympi.native import core
from polympi.workers.processes import Processes
from polympi.workers.worker import ANSWER, BYE, GONE, TAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polympi.workers.dispatcher import Dispatcher
    from polympi.workers.worker import Process

LOOK_S = 0.25  # between two looks for workers that have ended


class Manager:
    """The thread."""

    def __init__(self, dispatcher: Dispatcher, processes: list[Process]) -> None:
        self._dispatcher = dispatcher
        self._left = {
            rank for rank in range(dispatcher.comm.size) if rank != dispatcher.comm.rank
        }  # who haven't said goodbye
        self._processes = Processes(processes[dispatcher.comm.rank])
        for rank in self._left:
            self._processes.watch(rank, processes[rank])
        self._next_look = time.monotonic() + LOOK_S
        self._thread = threading.Thread(target=self._run, name="polympi pool")
        self._thread.start()

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end, which comes when all workers have ended theirs."""
        if not self.is_current():
            self._thread.join(timeout)

    def is_current(self) -> bool:
        """Whether it is the thread that asks."""
        return threading.current_thread() is self._thread

    def _run(self) -> None:
        try:
            while self._left:
                if self._dispatcher.wait_for_work(LOOK_S):
                    self._receive(LOOK_S)
                self._look()
        except Error as error:
            # The program has ended MPI, or a library that notices ended ranks itself refuses to go on.
            self._dispatcher.give_up(f"can't be reached any longer ({error})")
        except BaseException as error:  # without memory, for instance: tasks fail rather than wait forever
            self._dispatcher.give_up(f"can't be served any longer ({type(error).__name__}: {error})")
            raise
        finally:
            self._processes.close()
            self._dispatcher.end()

    def _receive(self, seconds: float) -> bool:
        """Take one message, if one comes in time; whether one did."""
        comm, dispatcher = self._dispatcher.comm, self._dispatcher
        try:
            rank = comm.probe(tag=TAG, timeout=seconds).source
        except Timeout:
            return False
        worker = dispatcher.worker(rank)
        try:
            kind, content = comm.recv(rank, TAG)
        except MemoryError as error:
            if worker:
                dispatcher.failed(worker, error)
            return True
        if kind == BYE:
            self._left.discard(rank)
        elif kind == GONE:
            self._lose(rank, f"has ended by os._exit({content})", killed=False)
        elif worker and kind == ANSWER:
            dispatcher.answered(worker, content)
        elif worker:
            dispatcher.failed(
                worker, MemoryError(f"rank {rank} has too little memory for a task or its result: {content}")
            )
        return True

    def _look(self) -> None:
        """Find workers that have ended without a word."""
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + LOOK_S
        for rank in self._processes.ended():
            core.forget_sleeper(self._dispatcher.comm, rank)
            while self._receive(1e-3):  # what it has sent before
                pass
            if rank in self._left:
                self._lose(rank, "was killed, or has crashed,", killed=True)

    def _lose(self, rank: int, how: str, killed: bool) -> None:
        self._left.discard(rank)
        self._dispatcher.lose(rank, how, killed)
