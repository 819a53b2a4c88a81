"""The answer on one screen: five cases that represent all, chosen by rule, and the result of each arm in them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.conclusions.gaps import absences
from polympi.lab.conclusions.order import is_arm_of_c
from polympi.lab.conclusions.rows import SMALL, Family, Row, bindings_of, by_family, example_size
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.statistics.model import Analysis

# A dict first: the smallest object that is a structure.
OBJECTS = ("dict", "array", "int", "float", "string", "list", "map", "nested", "instance")
LARGEST_OBJECT = 64 * SMALL  # an array whose bytes count, and whose description does still
# Those that hold all ranks together by themselves come first, because their time depends least on which rank began
# when; last those that move nothing.
COLLECTIVES = tuple(
    sorted(
        (name for name, b in BENCHMARKS.items() if b.collective and not b.launch_figure),
        key=lambda name: (BENCHMARKS[name].payloads == ("none",), BENCHMARKS[name].timed_singly),
    )
)


MOST_APPLICATIONS = 3  # additional columns, on a screen of usual width


@dataclass(frozen=True)
class Column:
    """One of the cases that stand for all."""

    topic: str  # `small`, `large`, `object`, `collective` or `startup`
    title: str
    family: Family
    size_bytes: int  # message size; 0 where there is none

    @property
    def case(self) -> str:
        """The case in the words of a plan."""
        return str(Case(self.family.benchmark, self.family.mode, self.family.payload, self.size_bytes))

    @property
    def what(self) -> str:
        """What is timed, in the words of a table: ``latency, dict``."""
        if self.family.benchmark == "startup":
            return {"first-barrier": "first barrier", "init": "MPI_Init_thread"}[self.family.mode]
        return self.family.title

    @property
    def size(self) -> str:
        """The message size in words; empty where there is none."""
        return BENCHMARKS[self.family.benchmark].size_words(self.size_bytes) if self.size_bytes else ""


@dataclass(frozen=True)
class Spot:
    """One arm in one column: its row, or the reason why there is none."""

    row: Row | None
    reason: str = ""


@dataclass(frozen=True)
class ArmInOverview:
    """One arm in all columns of the overview."""

    binding: str
    spots: tuple[Spot, ...]


@dataclass(frozen=True)
class Overview:
    """What stands on the first screen about one stack."""

    columns: tuple[Column, ...]  # the cases that stand for all; those of which nothing was compared with C are left out
    reference: tuple[Row | None, ...]
    bindings: tuple[ArmInOverview, ...]
    arms_of_c: tuple[ArmInOverview, ...]  # the other arms of C: what a choice costs that is not the binding's


def overview(analysis: Analysis, rows: Sequence[Row], stack: str) -> Overview:
    """The first screen about one stack."""
    own = [row for row in rows if row.stack == stack]
    columns = columns_of(own)
    reference, arms = arms_in(analysis, own, stack, columns)
    return Overview(
        columns=columns,
        reference=reference,
        bindings=tuple(arm for arm in arms if not is_arm_of_c(arm.binding)),
        arms_of_c=tuple(arm for arm in arms if is_arm_of_c(arm.binding)),
    )


def arms_in(
    analysis: Analysis, rows: Sequence[Row], stack: str, columns: Sequence[Column]
) -> tuple[tuple[Row | None, ...], list[ArmInOverview]]:
    """C's rows in some cases, and all arms that are compared with C in them, in the order of the report."""
    present = {row.binding for row in rows}
    places = {(row.binding, row.family, row.size_bytes): row for row in rows}
    reasons = absences(analysis, stack)

    def spots(binding: str) -> tuple[Spot, ...]:
        return tuple(_spot(places, reasons, binding, column) for column in columns)

    arms = [ArmInOverview(name, spots(name)) for name in bindings_of(analysis, stack, compared=True) if name in present]
    return tuple(spot.row for spot in spots(REFERENCE)), arms


def columns_of(rows: Iterable[Row]) -> tuple[Column, ...]:
    """The cases that stand for all, chosen by what was measured and never by what came out.

    - *small message*: the smallest representative size of the standard ping-pong of bytes. Where that was not measured:
      of another payload, then of the first point-to-point benchmark of the catalogue.
    - *large message*: the largest power of two that most arms have of the same.
    - *object*: the ping-pong of the object that most arms have; of several, the first of :data:`OBJECTS`; at its
      largest size up to :data:`LARGEST_OBJECT`.
    - *collective*: the one that most arms have at a small size; of several, the first of :data:`COLLECTIVES`.
    - *applications*: the first of each in its main mode, on its largest mesh.
    - *start-up*: launch to first barrier; the time of ``MPI_Init_thread`` where that is not known.
    """
    return columns_among(row for row in rows if row.binding not in (REFERENCE, AGAIN))


def columns_among(rows: Iterable[Row]) -> tuple[Column, ...]:
    """The cases that stand for all of these rows, by the rules of :func:`columns_of`."""
    families = by_family(row for row in rows if row.median_ns is not None)
    found = [*message_columns(families), _object(families), _collective(families)]
    found += [*_applications(families), _startup(families)]
    return tuple(column for column in found if column)


def message_columns(families: dict[Family, list[Row]]) -> list[Column]:
    """The small and the large message among the rows of bindings; see :func:`columns_of`."""
    messages = [family for family in families if BENCHMARKS[family.benchmark].messages]
    candidates = [family for family in messages if family.payload not in OBJECTS]
    ping_pong = [f for f in candidates if f.benchmark == "latency" and f.mode == "standard"]
    if not candidates:
        return []
    family = (ping_pong or candidates)[0]
    sizes = common_sizes(families[family])
    small = example_size([size for size in sizes if size] or sizes)
    found = [Column("small", "Small message", family, small)]
    powers = [size for size in sizes if size > max(small, SMALL) and size & (size - 1) == 0]
    if powers:
        found.append(Column("large", "Large message", family, max(powers)))
    return found


def _object(families: dict[Family, list[Row]]) -> Column | None:
    candidates = [f for f in families if f.benchmark == "latency" and f.mode == "standard" and f.payload in OBJECTS]
    family = _most_common(candidates, families, lambda f: OBJECTS.index(f.payload))
    if family is None:
        return None
    sizes = common_sizes(families[family])
    return Column("object", "Object", family, max([s for s in sizes if s <= LARGEST_OBJECT] or sizes[:1]))


def _collective(families: dict[Family, list[Row]]) -> Column | None:
    candidates = [f for f in families if f.benchmark in COLLECTIVES]
    family = _most_common(candidates, families, lambda f: (COLLECTIVES.index(f.benchmark), candidates.index(f)))
    if family is None:
        return None
    sizes = common_sizes(families[family])
    return Column("collective", "Collective", family, example_size([size for size in sizes if size] or sizes))


def _applications(families: dict[Family, list[Row]]) -> list[Column]:
    mains = [f for f in families if BENCHMARKS[f.benchmark].application and f.mode == BENCHMARKS[f.benchmark].modes[0]]
    return [Column(f.benchmark, "Application", f, max(common_sizes(families[f]))) for f in mains[:MOST_APPLICATIONS]]


def _startup(families: dict[Family, list[Row]]) -> Column | None:
    modes = {family.mode: family for family in families if family.benchmark == "startup"}
    family = modes.get("first-barrier") or modes.get("init")
    return Column("startup", "Start-up", family, 0) if family else None


def _most_common(
    candidates: Iterable[Family], families: dict[Family, list[Row]], place: Callable[[Family], object]
) -> Family | None:
    """The family that most arms have; of several, the first by ``place``."""

    def rank(family: Family) -> tuple[int, object]:
        return -len({row.binding for row in families[family]}), place(family)

    return min(candidates, key=rank, default=None)


def common_sizes(rows: Sequence[Row]) -> list[int]:
    """The sizes that most arms have, ascending."""
    arms: dict[int, int] = {}
    for row in rows:
        arms[row.size_bytes] = arms.get(row.size_bytes, 0) + 1
    return sorted(size for size, number in arms.items() if number == max(arms.values()))


def _spot(
    places: dict[tuple[str, Family, int], Row], reasons: dict[tuple[str, str], str], binding: str, column: Column
) -> Spot:
    row = places.get((binding, column.family, column.size_bytes))
    if row is not None:
        return Spot(row, reasons.get((binding, column.case), "") if row.median_ns is None else "")
    return Spot(None, reasons.get((binding, column.case), f"{binding} was not measured in this case."))
