import json

import pytest
from built import rich_run, summary_row

from polympi.lab.conclusions.rows import Row
from polympi.lab.report import charts
from polympi.lab.report.charts import Palette, config
from polympi.lab.report.charts.style import ratio_ticks
from polympi.lab.report.comparisons import comparisons
from polympi.lab.report.content import shown_of
from polympi.lab.report.figures import figures, palette_of
from polympi.lab.statistics.analysis import analyse


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    return analyse(rich_run(tmp_path_factory.mktemp("charts") / "run"))


@pytest.fixture(scope="module")
def drawn(analysis):
    """All charts, made with every piece checked against Vega-Lite's schema."""
    return {figure.name: figure.chart.to_dict(validate=True) for figure in figures(analysis)}


def marks(spec):
    return [layer["mark"]["type"] for layer in spec["layer"]]


def test_every_kind_of_chart_is_there(drawn):
    kinds = {name.rpartition("-")[2] for name in drawn}
    assert kinds >= {"time", "ratio", "bandwidth", "fit", "residuals", "launches", "percentiles", "startup", "memory"}
    assert "mpich-latency-modes-bytes" in drawn


def test_charts_hold_summaries_never_samples_and_only_finite_figures(drawn, analysis):
    for name, spec in drawn.items():
        assert max(map(len, spec["datasets"].values())) <= analysis.launch_medians.height, name
        json.dumps(spec, allow_nan=False)


def test_a_percentile_is_left_out_where_it_is_the_slowest_event(drawn, analysis):
    [rows] = [
        spec["datasets"]["rows"] for name, spec in drawn.items() if name == "mpich-latency-standard-bytes-percentiles"
    ]
    of = {(row["binding"], row["size"], row["percentile"]): row["ns"] for row in rows}
    assert {percentile for *_, percentile in of} >= {"p50", "p90", "p99", "max"}
    assert all(of[binding, size, "max"] != ns for (binding, size, name), ns in of.items() if name == "p99.9")


def test_zero_bytes_has_its_place(drawn):
    spec = drawn["mpich-latency-standard-bytes-time"]
    assert min(record["size"] for record in spec["datasets"]["rows"]) == 0
    axis = spec["layer"][0]["encoding"]["x"]
    assert axis["scale"]["type"] == "symlog"
    assert axis["scale"]["domain"][0] == 0
    assert axis["axis"]["values"][0] == 0


def test_ratio_chart_shows_the_a_a_band_and_what_is_separated(drawn):
    spec = drawn["mpich-latency-standard-bytes-ratio"]
    assert {record["binding"] for record in spec["datasets"]["rows"]} == {"mpi4py", "mpi4py-object"}
    assert len(spec["datasets"]["band"]) == 8
    assert all(record["low"] <= record["high"] for record in spec["datasets"]["band"])
    assert {record["separated"] for record in spec["datasets"]["rows"]} == {True, False}
    assert "area" in marks(spec)


def test_bandwidth_interval_holds_the_bandwidth(drawn):
    for record in drawn["mpich-bandwidth-standard-bytes-bandwidth"]["datasets"]["rows"]:
        assert record["mb_low"] <= record["mb"] * 1.02
        assert record["mb_high"] >= record["mb"] * 0.98


def test_a_point_a_launch(drawn):
    records = drawn["mpich-latency-standard-bytes-launches"]["datasets"]["rows"]
    of_mpi4py = [r for r in records if r["binding"] == "mpi4py" and r["size"] == 8]
    assert sorted(r["block"] for r in of_mpi4py) == list(range(1, 10))


def test_fits_mark_where_a_protocol_segment_begins(drawn):
    spec = drawn["mpich-latency-standard-bytes-fit"]
    assert [record["size"] for record in spec["datasets"]["breaks"]] == [65536]


def test_a_binding_has_one_colour_in_all_charts(drawn, analysis):
    palette = palette_of(analysis)
    for spec in drawn.values():
        for layer in spec["layer"]:
            scale = layer["encoding"].get("color", {}).get("scale")
            if scale:
                assert scale["range"] == [palette.colour(name) for name in scale["domain"]]


def test_colours_stay_apart_and_readable_on_both_pages():
    names = ["c", "c-again", *(f"binding {i}" for i in range(8))]
    palette = Palette(names)
    colours = [palette.colour(name) for name in names]
    assert len(set(colours)) == len(names)
    for colour in colours[2:]:
        assert contrast(colour, "#ffffff") > 2.5
        assert contrast(colour, "#181b21") > 2.5


def contrast(one, other):
    bright, dark = sorted(map(luminance, (one, other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("low", "high"), [(0.99, 1.01), (0.98, 1.7), (0.9, 6), (0.5, 300), (1.0, 1.0)])
def test_ratio_ticks_are_few_round_and_hold_one(low, high):
    ticks = ratio_ticks(low, high)
    assert 1.0 in ticks
    assert 3 <= len(ticks) <= 20


def test_light_and_dark_differ_only_in_colours():
    light, dark = config(dark=False), config(dark=True)
    assert light.keys() == dark.keys()
    assert light["axis"]["labelColor"] != dark["axis"]["labelColor"]


def test_rows_without_intervals_are_drawn_without_them():
    rows = [Row(**summary_row(s, ci_low_ns=None, ci_high_ns=None, ratio_low=None, ratio_high=None)) for s in (8, 64)]
    spec = charts.ratio_over_size(rows, Palette(["mpi4py"])).to_dict(validate=True)
    assert [record["ratio_low"] for record in spec["datasets"]["rows"]] == [None, None]
    charts.time_over_size(rows, Palette(["mpi4py"])).to_dict(validate=True)


def test_published_figures_stand_next_to_ours(analysis):
    found = {one.source.name: one for one in comparisons(analysis, palette_of(analysis), shown_of(analysis))}
    assert set(found) == {
        "osu_bibw_c_python",
        "send_ssend_ping",
        "send_ssend_bandwidth",
        "python_modules_pingpong_fit",
        "mpi_net",
    }
    assert "C moves 3.00 × the bytes of Python at 1 B and 2.16 × at 1 MiB" in found["osu_bibw_c_python"].statement
    assert "a synchronous send takes 2.10 × a standard one" in found["send_ssend_ping"].statement
    assert ("published, one node", "1 B", "293 ns", "615 ns", "2.10") in found["send_ssend_ping"].lines
    assert "mpi4py's fitted latency is 1.75 × that of C" in found["python_modules_pingpong_fit"].statement
    assert "a ping-pong of 1 int takes C# 1.12 × the time of C" in found["mpi_net"].statement
    assert any("nothing acknowledged" in weakness for weakness in found["send_ssend_bandwidth"].source.weaknesses)
    for one in found.values():
        assert all(len(line) == len(one.headers) for line in one.lines)
        if one.chart is not None:
            one.chart.to_dict(validate=True)
