"""Conclusions: what a run says, in sentences that are computed from its analysis and never written by hand."""

from polympi.lab.conclusions.answers import Answer, answers
from polympi.lab.conclusions.labels import Label, labels

__all__ = ["Answer", "Label", "answers", "labels"]
