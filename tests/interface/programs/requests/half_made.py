"""A request is not complete while its object is made."""

import threading
from typing import Any

from prelude import c, in_turn, other

import polympi as mpi


class Asking:
    """Where it is unpickled, another thread asks for the request that received it."""

    def __reduce__(self) -> Any:
        return ask, ()


def ask() -> str:
    def work() -> None:
        for call in request.wait, request.test, request.cancel, lambda: mpi.wait_all([request]):
            try:
                answers.append(call())
            except mpi.StateError:
                answers.append("another thread")
        answers.append(request.done)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return "made"


WAYS = [
    lambda asked: asked.wait(),
    lambda asked: asked.test() and asked.wait(),
    lambda asked: mpi.wait_any([asked])[1],
]
for wait in WAYS:
    answers: list[Any] = []
    request = c.irecv(other, 1)
    in_turn()
    sent = c.isend(Asking(), other, 1)
    c.sendrecv(0, other, 5, other, 5)
    assert wait(request) == "made"
    assert request.wait() == "made"
    assert answers == ["another thread"] * 4 + [False], answers
    sent.wait()
