"""How far the figures of a run can be trusted as a whole: glance, quick, partial."""

from dataclasses import dataclass

from polympi.lab.conclusions.phrases import count, listing
from polympi.lab.statistics.model import Analysis


@dataclass(frozen=True)
class Label:
    """A label every figure of the run carries."""

    word: str
    text: str  # what it means and what to do, one or two sentences


def labels(analysis: Analysis) -> list[Label]:
    """The labels of a run; none for a complete run of a full profile."""
    found = []
    if analysis.partial:
        found.append(Label("partial", _partial(analysis)))
    if analysis.run.profile == "glance":
        blocks = count(analysis.run.maximum_blocks, "very short block")
        found.append(
            Label(
                "glance",
                f"Glance profile: {blocks} of a few cases, which only show the size of an effect. For a first look "
                "at all benchmarks: polympi run; for firm figures: polympi run --profile standard.",
            )
        )
    if analysis.run.profile == "quick":
        blocks = count(analysis.run.maximum_blocks, "short block")
        found.append(
            Label(
                "quick",
                f"Quick profile: {blocks}, a first look. For firmer figures: polympi run --profile standard; "
                "to publish them: --profile publish.",
            )
        )
    return found


def _partial(analysis: Analysis) -> str:
    outcome = analysis.outcome
    how = {
        "interrupted": "The run was interrupted",
        "time limit": "The run reached its time limit",
        "host lost": "The run lost a host",
    }
    start = how.get(outcome.ended, f"The run ended early ({outcome.ended})") if outcome else "The run was cut off"
    done = _blocks_done(analysis)
    run = analysis.run
    planned = (
        f"{run.minimum_blocks} to {run.maximum_blocks}"
        if run.minimum_blocks != run.maximum_blocks
        else str(run.maximum_blocks)
    )
    reached = listing([f"{blocks} on {stack}" for stack, blocks in done.items()]) or "none"
    return (
        f"{start} before everything planned was measured: complete blocks {reached}, of {planned} planned. "
        "The figures are computed from the launches that were kept."
    )


def _blocks_done(analysis: Analysis) -> dict[str, int]:
    if analysis.outcome and analysis.outcome.blocks:
        return dict(analysis.outcome.blocks)
    done: dict[str, set[int]] = {planned.stack: set() for planned in analysis.run.stacks}
    for launch in analysis.launches:
        if launch.outcome == "ok" and launch.block is not None:
            done.setdefault(launch.stack, set()).add(launch.block)
    return {stack: len(blocks) for stack, blocks in done.items()}
