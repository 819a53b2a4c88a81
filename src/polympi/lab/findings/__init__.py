"""Findings: what a run says, in sentences that are computed from its analysis and never written by hand."""

from polympi.lab.findings.answers import Answer, answers
from polympi.lab.findings.labels import Label, labels

__all__ = ["Answer", "Label", "answers", "labels"]
