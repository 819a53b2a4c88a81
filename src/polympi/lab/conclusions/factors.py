"""What a setting, a placement or another MPI costs: its rows as those of a table of bindings, and in sentences."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from polympi.lab.conclusions.phrases import count, sentence, signed, size_words, times, verb
from polympi.lab.conclusions.rows import JUDGED, Row
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.factors import Contrast, FactorRow


def by_contrast(rows: Iterable[FactorRow]) -> dict[Contrast, list[FactorRow]]:
    """The rows of each contrast, in their order."""

    def contrast(row: FactorRow) -> Contrast:
        return Contrast(row.factor, row.level, row.base, row.stack, row.base_stack)

    return {one: list(own) for one, own in groupby(rows, key=contrast)}


def as_row(row: FactorRow) -> Row:
    """The row of a level as that of a binding, compared with the base instead of with C."""
    case = ("stack", "binding", "benchmark", "payload", "mode", "size_bytes", "ranks")
    figures = ("median_ns", "confidence", "delta_low_ns", "delta_high_ns", "ratio_low", "ratio_high")
    judgement = ("p_value", "q_value", "floor_ratio", "verdict")
    same = {name: getattr(row, name) for name in (*case, *figures, *judgement)}
    return Row(**same, launches=row.blocks, delta_to_c_ns=row.delta_ns, ratio_to_c=row.ratio)


def level_sentences(rows: Sequence[FactorRow]) -> list[tuple[str, str]]:
    """What a level costs, for each binding: its name and a sentence."""
    bindings = list(dict.fromkeys(row.binding for row in rows))
    return [(name, _sentence([row for row in rows if row.binding == name])) for name in bindings]


def _sentence(rows: Sequence[FactorRow]) -> str:
    judged = [row for row in rows if row.verdict in JUDGED and row.ratio is not None]
    name = "C" if rows[0].binding == REFERENCE else rows[0].binding
    if not judged:
        return f"{name} cannot be judged: an interval needs six blocks in which both were measured."
    slower, faster = ([row for row in judged if row.verdict == verdict] for verdict in ("slower", "faster"))
    if not slower and not faster:
        ratios = sorted(row.ratio or 0.0 for row in judged)
        span = times(ratios[0]) if len(judged) == 1 else f"{times(ratios[0])} to {times(ratios[-1])}"
        none = "its one case is not" if len(judged) == 1 else f"none of {len(judged)} cases is"
        return f"{name}: {none} separated ({span})."
    said = [_some(own, word) for own, word in ((slower, "slower"), (faster, "faster")) if own]
    rest = len(judged) - len(slower) - len(faster)
    if rest:
        said.append(f"{rest} not separated")
    return sentence(f"{name}: of {count(len(judged), 'case')}, {', '.join(said)}")


def _some(rows: Sequence[FactorRow], word: str) -> str:
    ratios = sorted(row.ratio or 0.0 for row in rows)
    most = max(
        rows, key=lambda row: abs(row.ratio - 1.0 if row.ratio and row.ratio > 1 else 1.0 / (row.ratio or 1) - 1)
    )
    what = as_row(most).family.title if most.payload == "none" else f"{as_row(most).family.title}, {size_words(most)}"
    example = f"{what}: {times(most.ratio or 0.0)}, {signed(most.delta_ns)}"
    if len(rows) == 1:
        return f"1 is {word} ({example})"
    span = f"{times(ratios[0])} to {times(ratios[-1])}"
    return f"{len(rows)} {verb(len(rows), 'is', 'are')} {word} ({span}; most in {example})"
