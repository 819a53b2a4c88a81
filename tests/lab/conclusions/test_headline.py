"""The sentence on top: names, extremes, and what isn't separated."""

from __future__ import annotations

from polympi.lab.conclusions.headline import headline
from polympi.lab.conclusions.overview import ArmInOverview, Column, Overview, Spot
from polympi.lab.conclusions.rows import Family, Row

FAMILY = Family("mpich", "latency", "standard", "bytes")
COLUMNS = (
    Column("small", "Small message", FAMILY, 8),
    Column("large", "Large message", FAMILY, 2**20),
    Column("startup", "Start-up", Family("mpich", "startup", "first-barrier", "none"), 0),
)


def spot(binding: str, size: int, ratio: float | None, verdict: str = "") -> Spot:
    """A row that takes `ratio` times the 1000 ns of C; None: it wasn't measured."""
    if ratio is None:
        return Spot(None, "not measured")
    verdict = verdict or ("slower" if ratio > 1 else "faster")
    delta = 1000.0 * (ratio - 1)
    return Spot(
        Row(
            *("mpich", binding, "latency", "bytes", "standard", size, 2, 9),
            median_ns=1000.0 * ratio,
            delta_to_c_ns=delta,
            ratio_to_c=ratio,
            verdict=verdict,
        )
    )


def said(**bindings: tuple[Spot, Spot]) -> str:
    arms = tuple(ArmInOverview(name, (*spots, Spot(None))) for name, spots in bindings.items())
    return headline(Overview(COLUMNS, (None, None, None), arms, ()))


def test_a_few_bindings_are_named_in_order() -> None:
    text = said(
        slow=(spot("slow", 8, 1.5), spot("slow", 2**20, 30.0)),
        fast=(spot("fast", 8, 0.5), spot("fast", 2**20, 1.05)),
        same=(spot("same", 8, 1.4, "not separated"), spot("same", 2**20, 3.0, "not separated")),
    )
    assert text == (
        "A message of 8 B takes 500 ns less with fast and 500 ns more with slow than in C; "
        "one of 1 MiB takes 30.0 times C's with slow; with 2 others no difference of 10 % is shown."
    )


def test_of_many_bindings_the_extremes_are_named() -> None:
    arms = {f"b{n}": (spot(f"b{n}", 8, 1 + n / 10), spot(f"b{n}", 2**20, 1 + n)) for n in range(1, 6)}
    assert said(**arms) == (
        "A message of 8 B takes from 100 ns more with b1 to 500 ns more with b5 than in C; "
        "one of 1 MiB takes from 2.00 times C's with b1 to 6.00 times C's with b5."
    )


def test_without_a_difference_it_says_so() -> None:
    text = said(same=(spot("same", 8, 1.0, "not separated"), spot("same", 2**20, 1.05)))
    assert text == (
        "A message of 8 B takes as long as in C, as far as is known; "
        "one of 1 MiB isn't shown to differ from C's by 10 %."
    )


def test_what_was_not_measured_is_left_out() -> None:
    assert said(only=(spot("only", 8, None), spot("only", 2**20, None))) == ""
