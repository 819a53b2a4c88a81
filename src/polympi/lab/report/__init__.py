"""Reports: what a run says, as a page, as text, as tables, as pictures."""

from polympi.lab.report.write import FORMATS, write_report

__all__ = ["FORMATS", "write_report"]
