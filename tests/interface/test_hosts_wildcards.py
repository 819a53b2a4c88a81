"""Messages from any rank on two hosts: none is lost and none overtakes another, however they are waited for.

Libraries look for such messages in two places, the memory of the host and the network, and may lose one between them.
"""

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.system

# Every rank sends to every other, and checks that the messages of each come whole and in their order. All on
# a separate communicator, so that no receive of any tag takes what ranks further on say to each other.
EXCHANGE = """
twin = c.dup()
VALUES = [lambda n: n, lambda n: np.full(300, n), lambda n: np.full(40_000, n), lambda n: [n, "x" * 9000],
          lambda n: {"n": [n]}]
COUNT = 80
others = [r for r in range(size) if r != rank]
came = dict.fromkeys(others, 0)

def send(n):
    return [twin.isend(VALUES[n % 5](n), to, 1) for to in others]

def check(got, source):
    assert same(got, VALUES[came[source] % 5](came[source])), f"message {came[source]} of rank {source}: {got!r}"
    came[source] += 1

def end(sent):
    assert set(came.values()) == {COUNT}, came
    mpi.wait_all(sent)
    in_turn()
    assert twin.iprobe() is None
"""


WILDCARDS = {
    "messages from any rank come in order": """
sent = [request for n in range(COUNT) for request in send(n)]
for _ in range(COUNT * len(others)):
    got, status = twin.recv(status=True)
    check(got, status.source)
end(sent)
""",
    # Time-outs as long as a message takes over the network, so that some meet their message at the very last moment.
    "messages from any rank are not lost between receives that time out": """
chance = random.Random(rank)
sent, turn = [], 0
while sum(came.values()) < COUNT * len(others):
    if turn < COUNT:
        sent += send(turn)
    turn += 1
    assert turn < 10**5, came
    try:
        got, status = twin.recv(timeout=10 ** chance.uniform(-5, -3), status=True)
    except mpi.Timeout:
        continue
    check(got, status.source)
for n in range(turn, COUNT):
    sent += send(n)
end(sent)
""",
    "requests from any rank are waited for or cancelled": """
chance = random.Random(rank)
sent, turn, cancelled, request = [], 0, 0, None
while sum(came.values()) < COUNT * len(others):
    if turn < COUNT:
        sent += send(turn)
    turn += 1
    assert turn < 10**5, came
    request = twin.irecv()
    try:
        got, status = request.wait(timeout=10 ** chance.uniform(-5, -3), status=True)
    except mpi.Timeout:
        if request.cancel():
            cancelled += 1
            continue
        got, status = request.wait(status=True)
    check(got, status.source)
for n in range(turn, COUNT):
    sent += send(n)
end(sent)
""",
    "probes and several requests from any rank": """
sent = [request for n in range(COUNT) for request in send(n)]
while sum(came.values()) < COUNT * len(others):
    way = sum(came.values()) % 3
    if way == 0:
        found = twin.probe()
        check(twin.recv(found.source, found.tag), found.source)
    elif way == 1:
        got, status = twin.recv(tag=1, status=True)
        check(got, status.source)
    else:
        requests = [twin.irecv(tag=1)]
        mpi.wait_any(requests)
        got, status = requests[0].wait(status=True)
        check(got, status.source)
end(sent)
""",
}


@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize("script", WILDCARDS.values(), ids=WILDCARDS)
def test_messages_from_any_rank(run_on_hosts, stack: Stack, each: int, script: str) -> None:
    run_on_hosts(PRELUDE + EXCHANGE + script, each, stack).succeeded()
