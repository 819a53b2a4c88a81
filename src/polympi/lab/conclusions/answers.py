"""The answer first: what each binding costs over C, in sentences computed from the analysis."""

from dataclasses import dataclass
from statistics import median

import polars as pl

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.caveats import tails_sentence, threads_sentence, waiting_sentence
from polympi.lab.conclusions.clocks import NOT_SMALL, clocks_sentence, start_error_ns, start_sentence
from polympi.lab.conclusions.costs import bandwidth_predicate, collectives_predicate, cost_predicate
from polympi.lab.conclusions.gaps import failures, omissions, uncovered
from polympi.lab.conclusions.noise import noise_sentence
from polympi.lab.conclusions.pages import pages_sentence
from polympi.lab.conclusions.phrases import (
    duration,
    listing,
    percent,
    sentence,
    signed,
    signed_bytes,
    size_words,
    times,
)
from polympi.lab.conclusions.placements import misplaced, not_over_the_network, places_sentence
from polympi.lab.conclusions.rows import SMALL, Family, Row, bindings_of, by_family, rows_of, stacks_of
from polympi.lab.statistics.model import Analysis
from polympi.lab.units import format_bytes, format_ns, format_size

FEW_RANKS = 2  # with more, memory per process is also given as a mean: ranks differ, and share more memory

_THINGS = {
    "bytes": "a message",
    "float64": "a message of doubles",
    "int": "an integer object",
    "float": "a floating-point object",
    "dict": "a small dict",
    "array": "an array object",
}
_FACES = {"contiguous": "where it is contiguous", "rows": "in rows", "elements": "as single elements"}
_BANDWIDTHS = ("bandwidth", "bibandwidth", "stream")


@dataclass(frozen=True)
class Answer:
    """One computed statement."""

    # `latency`, `faces`, `bandwidth`, `collectives`, `startup`, `memory`, `noise`, `threads`, `waiting`, `tails`,
    # `pages`, `placement`, `clocks`, `failure`, `gap` (skipped, left out) or `uncovered`
    topic: str
    stack: str  # the stack it is about; empty when it concerns the run
    binding: str  # the binding it is about; empty when it concerns the stack or the run
    text: str


def answers(analysis: Analysis) -> list[Answer]:
    """All statements about a run: for each stack and binding by topic, then noise, failures and gaps."""
    rows = rows_of(analysis)
    said: list[Answer] = []
    for stack in stacks_of(analysis):
        on_stack = [row for row in rows if row.stack == stack]
        for binding in bindings_of(analysis, stack, compared=True):
            own = [row for row in on_stack if row.binding == binding]
            texts = {
                "latency": latency_answer(stack, binding, own),
                "faces": faces_answer(binding, own),
                "bandwidth": bandwidth_answer(binding, own),
                "collectives": collectives_answer(binding, own),
                "startup": startup_answer(binding, own, start_error_ns(analysis, stack)),
                "memory": memory_answer(stack, binding, analysis.memory),
            }
            said += [Answer(topic, stack, binding, text) for topic, text in texts.items() if text]
        notes = {
            "noise": noise_sentence(stack, on_stack) if on_stack else "",
            "threads": threads_sentence(analysis, stack),
            "waiting": waiting_sentence(stack, on_stack),
            "tails": tails_sentence(stack, on_stack),
            "pages": pages_sentence(analysis, stack, on_stack),
            "placement": places_sentence(analysis, stack),
            "clocks": " ".join(filter(None, (clocks_sentence(analysis, stack), start_sentence(analysis, stack)))),
        }
        said += [Answer(topic, stack, "", text) for topic, text in notes.items() if text]
    wrong = (*failures(analysis), *misplaced(analysis), *not_over_the_network(analysis))
    of_run = {"failure": wrong, "gap": omissions(analysis), "uncovered": uncovered(analysis)}
    said += [Answer(topic, "", "", text) for topic, texts in of_run.items() for text in texts]
    return said


def latency_answer(stack: str, binding: str, rows: list[Row]) -> str:
    """What the binding adds to a message: its main payload over size, other payloads and modes in short."""
    families = {f: r for f, r in by_family(rows).items() if f.benchmark == "latency"}
    standard = {f.payload: r for f, r in families.items() if f.mode == "standard"}
    predicates = {p: cost_predicate(r, _THINGS.get(p, f"a message ({p})")) for p, r in standard.items()}
    spoken = [payload for payload, predicate in predicates.items() if predicate]
    sentences = []
    if spoken:
        main = max(spoken, key=lambda payload: len(standard[payload]))
        sentences.append(sentence(f"On {stack}, {binding} {predicates[main]}"))
        others = [(payload, _small_cost(standard[payload])) for payload in spoken if payload != main]
        things: dict[str, list[str]] = {}
        for payload, cost in others:
            if cost:
                things.setdefault(cost, []).append(_THINGS.get(payload, payload))
        joined = listing(f"for {listing(named)} it {cost}" for cost, named in things.items())
        if joined:
            sentences.append(sentence(joined[0].upper() + joined[1:]))
    sentences += _modes(families)
    return " ".join(sentences)


def faces_answer(binding: str, rows: list[Row]) -> str:
    """How the largest face compares with C's, in each way it can lie in memory."""
    judged = [row for row in rows if row.benchmark == "faces" and row.judged]
    if not judged:
        return ""
    size = max(row.size_bytes for row in judged)
    largest = sorted((row for row in judged if row.size_bytes == size), key=lambda row: list(_FACES).index(row.mode))
    costs = [f"{times(row.ratio)} C {_FACES[row.mode]} ({signed(row.delta)})" for row in largest if row.separated]
    others = [_FACES[row.mode] for row in largest if not row.separated]
    said = [f"takes {listing(costs)}"] if costs else []
    said += [f"is not separated from C {listing(others)}"] if others else []
    return sentence(f"With {binding} a face of {format_size(size)} {'; it '.join(said)}")


def bandwidth_answer(binding: str, rows: list[Row]) -> str:
    """Which share of C's bandwidth the binding reaches, a clause a benchmark."""
    families = by_family(row for row in rows if row.benchmark in _BANDWIDTHS)
    longest: dict[str, Family] = {}
    for family, members in families.items():
        current = longest.get(family.benchmark)
        if current is None or len(members) > len(families[current]):
            longest[family.benchmark] = family
    said: list[str] = []
    for benchmark, family in longest.items():
        predicate = bandwidth_predicate(families[family], short=bool(said))
        payload = "" if family.payload == "bytes" else f" ({family.payload})"
        if predicate:
            said.append(sentence(f"In {benchmark}{payload} {'it' if said else binding} {predicate}"))
    return " ".join(said)


def collectives_answer(binding: str, rows: list[Row]) -> str:
    """What the binding adds to collective calls, in one sentence over all of them."""
    by_benchmark: dict[str, list[Row]] = {}
    for family, members in by_family(rows).items():
        benchmark = BENCHMARKS.get(family.benchmark)
        if benchmark is None or not benchmark.collective or benchmark.launch_figure:
            continue
        if len(members) > len(by_benchmark.get(family.benchmark, [])):
            by_benchmark[family.benchmark] = members
    predicate = collectives_predicate(by_benchmark)
    return sentence(f"{binding} {predicate}") if predicate else ""


def startup_answer(binding: str, rows: list[Row], error_ns: int = 0) -> str:
    """When the first barrier is passed, give or take the error of the hosts' clocks, and what loading does to it."""
    modes = {row.mode: row for row in rows if row.benchmark == "startup" and row.median_ns is not None}
    barrier = modes.get("first-barrier")
    if barrier is None or barrier.median_ns is None:
        return ""
    text = f"{binding} passes its first barrier {format_ns(barrier.median_ns)} after the launch"
    if barrier.separated:
        later = "later" if barrier.delta > 0 else "earlier"
        text += f", {duration(barrier.delta)} {later} than C ({times(barrier.ratio)})"
    elif barrier.judged:
        text += ", not separated from C"
    loading = modes.get("import")
    if loading is not None and loading.median_ns:
        text += f"; loading the binding takes {format_ns(loading.median_ns)}"
    if error_ns >= NOT_SMALL * barrier.median_ns:
        share = percent(error_ns / barrier.median_ns)
        text += f"; the clocks of the hosts may be wrong by {duration(error_ns)}, {share} of that"
    return sentence(text)


def memory_answer(stack: str, binding: str, memory: pl.DataFrame) -> str:
    """What a process holds, against one of C; empty where the system does not report it."""
    own = memory.filter((pl.col("stack") == stack) & (pl.col("binding") == binding))
    if own.is_empty() or not own["pss_bytes"][0]:
        return ""
    mean, ranks = own["pss_mean_bytes"][0], own["ranks"][0]
    of_all = f", the largest of {ranks} ranks; the mean is {format_bytes(mean)}" if mean and ranks > FEW_RANKS else ""
    text = f"A process of {binding} holds {format_bytes(own['pss_bytes'][0])} (PSS{of_all})"
    delta = own["delta_to_c_bytes"][0]
    if delta is not None:
        text += f", {signed_bytes(delta)} against C"
    return sentence(text)


def _small_cost(rows: list[Row]) -> str:
    judged = [row for row in rows if row.judged]
    small = [row for row in judged if row.size_bytes <= SMALL] or judged
    separated = [row.delta for row in small if row.separated]
    if not small:
        return ""
    if 2 * len(separated) <= len(small):
        return "is not separated from C"
    middle = median(separated)
    reach = f" up to {size_words(small[-1])}" if len(small) > 1 else ""
    return f"{'adds' if middle >= 0 else 'saves'} {duration(middle)}{reach}"


def _modes(families: dict[Family, list[Row]]) -> list[str]:
    rows = [r for f, members in families.items() if f.mode != "standard" for r in members if r.judged]
    if not rows:
        return []
    modes = {row.mode for row in rows}
    separated = sorted(row.delta for row in rows if row.separated)
    which = f"the mode {next(iter(modes))}" if len(modes) == 1 else f"the {len(modes)} other modes"
    sizes = [format_size(size) for size in sorted({row.size_bytes for row in rows})]
    where = f" at {listing(sizes)}" if len(sizes) < 4 else f" at {len(sizes)} sizes from {sizes[0]} to {sizes[-1]}"
    if not separated:
        return [f"In {which}{where} it is not separated from C."]
    span = signed(separated[0])
    if len(separated) > 1 and signed(separated[-1]) != span:
        span += f" to {signed(separated[-1])}"
    aside = "" if len(separated) == len(rows) else f" ({len(separated)} of {len(rows)} rows separated)"
    return [f"In {which}{where} the difference is {span}{aside}."]
