"""What a third-party benchmark is: what it measures, how it is called, and how its figures are read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polympi.lab.catalogue import Case
from polympi.lab.importers.rows import Imported

PRINTED = "output.txt"  # what a program prints


@dataclass(frozen=True)
class Tool:
    """A third-party program that measures what cases of ours measure."""

    name: str
    programs: tuple[str, ...]
    benchmark: str  # of our catalogue, in standard mode
    payload: str
    differs: str  # what its figure is, in words that follow its name
    get: str
    usable: Callable[[Sequence[int]], list[int]]  # those of the sizes, in bytes, that it can be asked for
    # The program's arguments for such sizes, a list for each time that it is called.
    calls: Callable[[Sequence[int]], list[list[str]]]
    read: Callable[[str, str], Imported]  # the importer of what it writes
    written: str = PRINTED  # file in the working directory that has its figures when it has ended
    only_two: bool = True  # whether it refuses more than two ranks

    def case(self, size_bytes: int) -> Case:
        """Our case of a size."""
        return Case(self.benchmark, "standard", self.payload, size_bytes)

    def times(self, text: str) -> dict[int, float]:
        """Time of one operation in ns by size: from the rate, if there is one, which tools print with more digits."""
        rows = self.read(text, self.name).rows.select("size_bytes", "time_ns", "mb_per_s")
        return {
            size: size / mb_per_s * 1e3 if mb_per_s else time_ns
            for size, time_ns, mb_per_s in rows.iter_rows()
            if mb_per_s or time_ns
        }


def positive(sizes: Sequence[int]) -> list[int]:
    """The sizes of messages that are not empty."""
    return [size for size in sizes if size > 0]


def powers_of_two(sizes: Sequence[int]) -> list[int]:
    """The sizes that are powers of two."""
    return [size for size in positive(sizes) if size & (size - 1) == 0]
