"""asyncio: await requests, and iterate over messages.

    mpiexec -n 3 python examples/asynchronous.py

Rank 0 serves the others, which ask several questions at a time. No call blocks the event loop.
"""

import asyncio

import polympi as mpi

QUESTION, ANSWER = 1, 100  # tags; that of an answer adds the number of the question


async def serve(world: mpi.Communicator) -> int:
    """Answer until every other rank has said that it is done."""
    clients, answered = world.size - 1, 0
    if not clients:
        return 0
    async for question, status in world.messages(tag=QUESTION, status=True):
        if question is None:
            clients -= 1
            if not clients:
                break
            continue
        number, x = question
        await world.isend(x * x, dest=status.source, tag=ANSWER + number)
        answered += 1
    return answered


async def ask(world: mpi.Communicator, number: int) -> int:
    """Ask one question, and wait for its answer while others are asked."""
    await world.isend((number, 10 * world.rank + number), dest=0, tag=QUESTION)
    answer: int = await asyncio.wait_for(world.irecv(source=0, tag=ANSWER + number), timeout=60)
    return answer


async def main() -> None:
    """One rank serves, all others ask."""
    world = mpi.world
    if world.rank == 0:
        answered = await serve(world)
        print(f"rank 0 answered {answered} questions")
    else:
        answers = await asyncio.gather(*(ask(world, number) for number in range(5)))
        await world.isend(None, dest=0, tag=QUESTION)
        print(f"rank {world.rank}: {answers}")
        assert answers == [(10 * world.rank + number) ** 2 for number in range(5)]
    await world.ibarrier()


if __name__ == "__main__":
    asyncio.run(main())
