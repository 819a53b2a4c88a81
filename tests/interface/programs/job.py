"""The ranks of a job that runs the programs of many tests one after another (tests/interface/jobs.py).

A program finds what it finds in a launch of its own: it is `__main__`, and MPI runs. What it leaves behind is looked
for when all ranks have come to its end, since the next program must find none of it.
"""

import contextlib
import faulthandler
import gc
import io
import json
import os
import select
import signal
import socket
import sys
import threading
import time
import traceback
import types
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, TextIO

from prelude import c, in_turn  # starts MPI, and says which machine this rank pretends to be on

import polympi as mpi
from polympi.native import core

HELPERS = Path(__file__).parent
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2)
LOOKS = 20  # MPI libraries take in what has arrived step by step
LONG_S = 2.0  # for threads that have done their work to end


@contextlib.contextmanager
def as_it_was() -> Iterator[None]:
    """What programs change of their process is changed back."""
    modules, path, variables = set(sys.modules), list(sys.path), dict(os.environ)
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    main, arguments, output = sys.modules["__main__"], sys.argv, sys.stdout
    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        sys.modules["__main__"], sys.argv, sys.stdout = main, arguments, output
        for name in set(sys.modules) - modules:  # helpers may have state, and are imported again
            if HELPERS in Path(getattr(sys.modules[name], "__file__", None) or "/").parents:
                del sys.modules[name]
        sys.path[:] = path
        os.environ.clear()
        os.environ.update(variables)
        gc.enable()
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)


@contextlib.contextmanager
def watched(seconds: float, place: Path) -> Iterator[None]:
    """After this many seconds, write there what Python is doing; and at once how threads have failed."""
    with place.open("w") as where:

        def note(failed: threading.ExceptHookArgs) -> None:
            threading.__excepthook__(failed)
            where.write("".join(traceback.format_exception(failed.exc_value)))
            where.flush()

        faulthandler.dump_traceback_later(seconds, file=where)
        threading.excepthook = note
        try:
            yield
        finally:
            threading.excepthook = threading.__excepthook__
            faulthandler.cancel_dump_traceback_later()


def run(program: str, arguments: list[str]) -> dict[str, str]:
    """Run a program: what it wrote to standard output, and how it failed."""
    written, failed = io.StringIO(), ""
    with as_it_was():
        main = types.ModuleType("__main__")
        main.__file__ = program
        sys.modules["__main__"], sys.argv, sys.stdout = main, [program, *arguments], written
        sys.path.insert(0, str(Path(program).parent))
        try:
            code = compile(Path(program).read_bytes(), program, "exec", dont_inherit=True)
            in_turn()  # all begin together, as after the start of MPI
            exec(code, main.__dict__)
        except BaseException:  # any end but the last line is a failure
            failed = traceback.format_exc()
    return {"wrote": written.getvalue(), "failed": failed}


def left_behind() -> str:
    """What a program that is over on all ranks has left to the next one, in words."""
    gc.collect()
    deadline = time.monotonic() + LONG_S
    while threading.active_count() > 1 and time.monotonic() < deadline:
        time.sleep(0.001)
    if threading.active_count() > 1:
        return f"threads: {threading.enumerate()[1:]}"

    def under_way(sentence: str) -> NoReturn:
        raise RuntimeError(sentence)

    try:
        sentences = core.settle(under_way, True)
        c.barrier(timeout=LONG_S * 10)  # which tells of ranks that have not made the same calls
    except (RuntimeError, mpi.Error) as error:
        return str(error)
    with contextlib.suppress(mpi.NoBufferError):
        mpi.buffer_detach(timeout=LONG_S)
        sentences.append("the buffer of buffered sends")
    message = next(filter(None, (c.iprobe() for _ in range(LOOKS))), None)
    return "; ".join([*sentences, *([f"a message that nobody received: {message}"] if message else [])])


def next_order(link: socket.socket, orders: TextIO) -> str:
    """The next line; meanwhile MPI makes progress, since pending operations of other ranks may need this rank."""
    while not select.select([link], [], [], 0.0005)[0]:
        c.iprobe()
    return orders.readline()


def main() -> None:
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(sys.argv[1])
        orders = link.makefile("r")

        def say(what: object) -> None:
            link.sendall((json.dumps(what) + "\n").encode())

        say(c.rank)
        for order in orders:
            seconds, program, *arguments = json.loads(order)
            with watched(seconds, Path(sys.argv[1]).with_name(f"rank{c.rank}")):
                answer = run(program, arguments)
            say(answer)
            if not next_order(link, orders):  # all ranks are at its end
                break
            say(left_behind())
            if not next_order(link, orders):  # all have looked
                break


if __name__ == "__main__":
    main()
