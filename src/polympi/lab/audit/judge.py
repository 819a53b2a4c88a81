"""Judges the state of all ranks: why those wait that wait, by the most certain reason there is."""

from __future__ import annotations

from polympi.lab.audit.cycle_rules import cycle, unknown
from polympi.lab.audit.message_rules import finalized, locked, misdirected, nobody_sends, taken
from polympi.lab.audit.mismatches import mismatch
from polympi.lab.audit.process_rules import gone, not_started, outside, stopped
from polympi.lab.audit.scene import Scene
from polympi.lab.audit.standing import Situation
from polympi.lab.audit.verdict import Verdict
from polympi.lab.audit.waits import waits_of

# A rank that computes may still do what others wait for, so nothing that follows `outside` is a reason before it. A
# receive of any rank's message is the reason only where no ranks wait for each other.
_RULES = (stopped, gone, not_started, outside, taken, misdirected, locked, finalized, cycle, nobody_sends, unknown)


def judge(situation: Situation) -> Verdict | None:
    """Why ranks wait; None if none does."""
    scene = Scene(situation, waits_of(situation))
    return mismatch(situation) or next((verdict for rule in _RULES if (verdict := rule(scene))), None)
