"""Awaiting requests: what ``await request`` runs, in asyncio and in trio.

Each event loop has one driver, which tests the requests that its tasks wait for: on the loop itself while messages
flow, since a hand-over between threads takes as long as several messages; after that a thread rests until something
arrives, and wakes the loop. So only the thread of the loop tests requests.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from weakref import WeakKeyDictionary

from polympi.native import core
from polympi.resting import Rest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from polympi.native.core import Request

# How long the loop itself tests after something has arrived: a few round trips of a small message through two loops.
FLOW_S = 300e-6
BLOCK = 64  # requests tested in one step of the loop: some 4 us, as long as the step itself
NEWEST = 16  # of which these began last: a program with many old ones mostly waits for a new one
# Rests take this many times as long as tests, and checks: together these take some 2 % of a processor.
REST_RATIO = 100
WAKE_S = 50e-6  # that a wake-up of the loop takes in addition to the tests
SHORTEST_REST_S = 0.5e-3  # the first ones, as a message that arrives just before a rest doesn't end it
LONGEST_REST_S = 0.1
CHECK_S = 0.25  # between two checks whether what is awaited can still arrive, for which each task is resumed
CHECK_OF_ONE_S = 10e-6  # that it takes
MOST_IN_A_ROW = 16  # messages that are there already, until other tasks run: each turn of the loop takes as long as one

_awaits = itertools.count()
_drivers: WeakKeyDictionary[asyncio.AbstractEventLoop, _Driver] = WeakKeyDictionary()


def wait(request: Request) -> Generator[Any, None, Any]:
    """Wait until the request is complete; its value. If the last task that awaits it is cancelled, so is a receive."""
    if request._is_ready() and next(_awaits) % MOST_IN_A_ROW:
        return request.wait()
    while True:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            yield from _wait_in_trio(request)
        else:
            yield from _driver_of(loop).wait(request)
        if request._is_ready():
            return request.wait()
        request._check_wait()  # here, so that an error names the line of the await


def _driver_of(loop: asyncio.AbstractEventLoop) -> _Driver:
    driver = _drivers.get(loop)
    if driver is None:
        for reference in _drivers.keyrefs():  # a copy, since the loops of other threads come and go
            if (other := reference()) is not None and other.is_closed():  # whose tasks will never run again
                _drivers.pop(other, None)
        driver = _drivers[loop] = _Driver()
    return driver


class _Driver:
    """Tests the requests that tasks of one event loop wait for; used by the thread of the loop alone."""

    def __init__(self) -> None:
        self._waiting: dict[Request, list[asyncio.Future[None]]] = {}  # for each request, those of the tasks
        self._requests: list[Request | None] = []  # what is to be tested; None where one was taken out
        self._places: dict[Request, int] = {}  # there
        self._next = 0  # place of the request to test next
        self._scheduled = False  # the next step
        self._flowed = 0.0  # when something was last new
        self._checked = 0.0  # when the tasks were last resumed for a check
        self._checking: frozenset[Request] = frozenset()  # of these tasks, until they wait again, which isn't new
        self._rest = Rest(self._after_rest)

    def wait(self, request: Request) -> Generator[Any, None, None]:
        """Wait until it may be complete."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        futures = self._waiting.setdefault(request, [])
        futures.append(future)
        if request not in self._places:
            self._places[request] = len(self._requests)
            self._requests.append(request)
        if request not in self._checking:
            self._flowed = time.monotonic()
        self._schedule(loop)
        try:
            yield from future
        except BaseException:
            if len(futures) == 1:
                request._give_up()
            raise
        finally:
            futures.remove(future)
            if not futures:
                del self._waiting[request]
                self._take_out(request)

    def _take_out(self, request: Request) -> None:
        place = self._places.pop(request, None)
        if place is None:
            return
        self._requests[place] = None
        if len(self._requests) > 2 * len(self._places) + BLOCK:
            self._requests = list(self._places)
            self._places = {other: place for place, other in enumerate(self._places)}
            self._next = 0

    def _schedule(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._scheduled:
            self._scheduled = True
            loop.call_soon(self._step)

    def _step(self) -> None:
        """Test some requests while messages flow, and continue in the next round of the loop."""
        self._scheduled = False
        self._checking = frozenset()
        now = time.monotonic()
        if self._test(BLOCK):
            self._flowed = now
        if not self._places:
            self._rest.end()
        elif now < self._flowed + (0 if core.oversubscribed() else FLOW_S):
            self._schedule(asyncio.get_running_loop())
        else:
            self._after_rest()

    def _after_rest(self) -> None:
        """Test all requests, and rest unless something is new."""
        if self._scheduled:
            return
        began = time.thread_time()  # of the processor: on a busy machine the thread may wait for its turn meanwhile
        if self._test(len(self._requests)):
            self._flowed = time.monotonic()
            self._schedule(asyncio.get_running_loop())
        elif self._places:
            now = time.monotonic()
            if now > self._checked + CHECK_S + REST_RATIO * CHECK_OF_ONE_S * len(self._places):
                self._checked = now
                self._resume_all()
                return
            longest = min(REST_RATIO * (time.thread_time() - began + WAKE_S), LONGEST_REST_S)
            seconds = max(min(longest, (now - self._flowed) / 4), SHORTEST_REST_S)
            self._rest.begin(asyncio.get_running_loop(), seconds)
        else:
            self._rest.end()

    def _resume_all(self) -> None:
        """Let the tasks check their waits, and then wait again."""
        self._checking = frozenset(self._places)
        for request in self._places:
            self._resume(request)
        self._schedule(asyncio.get_running_loop())  # after them

    def _resume(self, request: Request) -> None:
        for future in self._waiting[request]:
            if not future.done():
                future.set_result(None)

    def _fail(self, error: Exception) -> None:
        for futures in self._waiting.values():
            for future in futures:
                if not future.done():
                    future.set_exception(error)

    def _test(self, most: int) -> bool:
        """Test the newest requests and some others, and resume the tasks of what is complete."""
        count = len(self._requests)
        try:
            places = core.find_ready(self._requests, self._next, most)
            if count > most:
                self._next = (self._next + most) % count
                places += core.find_ready(self._requests, count - NEWEST, NEWEST)
        except Exception as error:  # of the MPI library: all tasks learn it, since which one it concerns isn't known
            self._fail(error)
            return True
        except BaseException:  # of a signal handler: the loop may run again
            self._schedule(asyncio.get_running_loop())
            raise
        ready = [request for request in map(self._requests.__getitem__, places) if request is not None]
        for request in ready:
            self._resume(request)
            self._take_out(request)
        return bool(ready)


def _wait_in_trio(request: Request) -> Generator[Any, None, None]:
    """Wait likewise without a driver: each task tests its own request, less and less often."""
    trio = sys.modules.get("trio")
    if trio is None:
        raise RuntimeError("await needs a running event loop, of asyncio or trio: use wait() elsewhere")
    began = time.monotonic()
    try:
        while not request._is_ready():
            core.progress()
            waited = time.monotonic() - began
            yield from trio.sleep(0 if waited < FLOW_S else min(waited / 10, 0.01)).__await__()
    except BaseException:
        request._give_up()
        raise
