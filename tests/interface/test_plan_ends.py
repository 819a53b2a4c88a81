"""Plans that are dropped, or never finished, and ranks that end meanwhile."""

import pytest
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize


def test_a_plan_that_is_dropped_while_started_goes_on_with_its_memory(run_in_job, stack) -> None:
    script = """
for strided in False, True:
    for turn in range(5):
        def array(value):
            return np.full((400, 200), value)[:, ::2] if strided else np.full((200, 200), value)
        plan = c.plan()
        plan.send(array(1.0), other)
        plan.recv(array(0.0), other)
        plan.agree()
        if rank == 0:
            plan.start()
            del plan
            gc.collect()
            junk = [np.full((400, 200), 9.0) for _ in range(4)]
            c.send("go", 1)
        else:
            assert c.recv(0) == "go"
            plan()
            plan.free()
        in_turn()
# A plan that its own array refers to is found by the garbage collector.
class Field(np.ndarray):
    pass
fields = [np.zeros(3).view(Field) for _ in range(10)]
import weakref
watched = [weakref.ref(field) for field in fields]
for field in fields:
    field.plan = c.plan()
    field.plan.send(field, other)
del fields, field
gc.collect()
assert all(ref() is None for ref in watched)
"""
    run_in_job(PRELUDE + script, 2, stack)


def test_the_end_tells_of_plans_that_were_never_finished(run, stack) -> None:
    script = """
plan = c.plan()
array = np.zeros(3)
large = np.zeros(2_000_000)  # so large that no network takes it before it is received
plan.recv(array, other, 4)
plan.send(np.zeros(3), other, 4)
if sys.argv[1] == "send":
    plan.recv(large, 1, 5) if rank == 0 else None
    plan.send(large, 0, 5) if rank == 1 else None
plan.agree()
if rank == 1:
    plan.start()
    if sys.argv[1] == "drop":
        del plan
    if sys.argv[1] == "finalize":
        mpi.finalize()
elif sys.argv[1] == "finalize":
    mpi.finalize()
"""
    for how in "keep", "drop", "finalize":
        ended = run(PRELUDE + script, 2, stack, arguments=[how])
        assert ended.exit_code == 1, str(ended)
        assert "[rank 1] plan.start() was never finished: plan.recv(source=0, tag=4) got no data" in ended.said, how
        assert "a message from rank 1 of a plan was never received" in ended.stderr, how
    ended = run(PRELUDE + script, 2, stack, arguments=["send"])
    assert ended.exit_code == 1, str(ended)
    assert "[rank 1] plan.send(dest=0, tag=5) was never received" in ended.stderr.splitlines()


def test_what_a_started_plan_sends_is_received_after_its_rank_has_ended(run, stack) -> None:
    script = """
array = np.full((1000, 300), 3.0)[:, ::2]
plan = c.plan()
if rank == 0:
    plan.send(array, 1)
    plan.start()
else:
    array[...] = 0
    plan.recv(array, 0)
    plan.agree()
    time.sleep(0.5)
    plan()
    assert (array == 3).all()
    print("received")
"""
    ended = run(PRELUDE + script, 2, stack)
    assert ended.succeeded().split() == ["received"]
    assert ended.stderr == "[rank 0] plan.start() was never finished\n"
