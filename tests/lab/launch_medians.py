"""Launch medians, their launches and a run, made by hand for the statistics that stand on them."""

import polars as pl

from polympi.lab.records import SAMPLE_SCHEMA, LaunchRecord, RunRecord

COLUMNS = ("stack", "block", "binding", "benchmark", "mode", "payload", "size_bytes", "ranks")
SCHEMA = {name: SAMPLE_SCHEMA[name] for name in COLUMNS} | {"median_ns": pl.Float64}
PING_PONG = {"benchmark": "latency", "mode": "standard", "payload": "bytes", "size_bytes": 8, "ranks": 2}


def launch_medians(times, binding="c", stack="mpich", **case):
    """Of an arm in one case, block by block, None where there is none; usually the ping-pong of 8 bytes."""
    row = {"stack": stack, "binding": binding} | PING_PONG | case
    rows = [row | {"block": block, "median_ns": time} for block, time in enumerate(times) if time is not None]
    return pl.DataFrame(rows, schema=SCHEMA | {"communication": pl.Float64} if "communication" in case else SCHEMA)


def launches_of(frame, started="2026-01-01T00:00:00+00:00"):
    rows = frame.select("stack", "block", "binding", "ranks").iter_rows(named=True)
    return [LaunchRecord(launch=n, position=0, outcome="ok", started=started, **row) for n, row in enumerate(rows)]


def a_run(**fields):
    usual = {"polympi": "", "created": "", "profile": "quick", "seed": 1, "window": 64, "ranks": 2}
    return RunRecord(**usual | {"minimum_blocks": 9, "maximum_blocks": 9} | fields)
