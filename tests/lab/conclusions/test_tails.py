from built import built_analysis, summary_row

from polympi.lab.conclusions import answers
from polympi.lab.conclusions.rows import rows_of
from polympi.lab.report.cells import cell


def _row(binding, delta, p50_ns):
    return summary_row(65536, c_ns=3000.0, delta=delta, binding=binding, payload="array") | {"p50_ns": p50_ns}


def test_a_row_whose_typical_operation_takes_far_less_says_so():
    analysis = built_analysis([_row("java", 97_000, 17_900.0), _row("mpi4py", 2_000, 4_000.0)])
    (text,) = [one.text for one in answers(analysis) if one.topic == "tails"]
    assert text == (
        "On mpich a few long operations make up much of the time in 1 of 2 rows: java takes 100 µs on average and "
        "17.9 µs typically (p50; latency, array at 64 KiB). What that row says of C is not what a typical operation "
        "costs."
    )
    typical = {row.binding: cell(row).typical for row in rows_of(analysis)}
    assert typical == {"java": "p50 17.9 µs", "mpi4py": ""}


def test_a_median_below_that_of_single_operations_is_no_tail():
    analysis = built_analysis([_row("mpi4py", 2_000, 40_000.0), _row("java", 2_000, None)])
    assert not [one for one in answers(analysis) if one.topic == "tails"]
