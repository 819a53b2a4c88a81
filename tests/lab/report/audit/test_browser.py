"""The page as a reader opens it: a real Chromium, without a window."""

import pytest
from report.audit.made_up import made_up, no_calls
from report.test_browser import (
    DARK_INK,
    browser,
    cells_in_sight,
    complaints,
    obstacles,
    requests,
    screenshot,
    show,
    wait_for,
)

from polympi.lab.report.audit.write import write_report

pytestmark = pytest.mark.system
MATRIX, TIMELINE = (40, 18), (44, 24)  # pixels left of and above the first cell or row: labels
__all__ = ["browser"]  # the fixture


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    (path,) = write_report(made_up(4, 20), tmp_path_factory.mktemp("audit"), ["html"])
    return path


def drawn(browser, look="light"):
    """Waits for the timeline, which is unpacked after everything else."""
    script = "return document.getElementById('events').dataset.drawn"
    wait_for(lambda: browser.execute_script(script) == look)


def tip(browser):
    return browser.find_element("id", "tip").text.splitlines()


def width_of(browser, selector):
    script = "const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'}); return e.clientWidth"
    return browser.execute_script(script, selector)


def point_at(browser, selector, left, top, event="pointermove", **options):
    """Moves the pointer to a place in an element, in pixels, or does something else there."""
    browser.execute_script(
        "const one = document.querySelector(arguments[0]), box = one.getBoundingClientRect();"
        "one.dispatchEvent(new PointerEvent(arguments[3], {clientX: box.left + arguments[1],"
        " clientY: box.top + arguments[2], pointerId: 1, pointerType: 'mouse', ...arguments[4]}));",
        *(selector, left, top, event, options),
    )


def drag(browser, start, end, **options):
    """Drags from one place of the timeline to another."""
    for place, event in ((start, "pointerdown"), (end, "pointermove"), (end, "pointerup")):
        point_at(browser, "#events", *place, event, **options)
    point_at(browser, "#events", 0, 0, "pointerleave")


def picture(browser, selector):
    """What a canvas shows."""
    return browser.execute_script("return document.querySelector(arguments[0]).toDataURL()", selector)


@pytest.mark.parametrize("dark", [False, True])
def test_nothing_keeps_a_reader_out(browser, page, dark):
    show(browser, page, dark=dark)
    drawn(browser, "dark" if dark else "light")
    assert obstacles(browser) == {}


def test_everything_draws_without_a_network_and_tells_its_figures(browser, page, tmp_path):
    complaints(browser)
    requests(browser)
    show(browser, page, width=1440)
    drawn(browser)
    screenshot(browser, tmp_path / "desktop.png")
    for selector in ("#events", "#matrix", "#calls-by-rank"):
        assert len(picture(browser, selector)) > 1500, selector  # an empty one takes less
    head, first, *_ = cells_in_sight(browser, "calls")
    assert (head[0], first[0], first[1]) == ("Procedure", "MPI_Allreduce", "solver.py:42")
    point_at(browser, "#rank-bars", 0.9 * browser.find_element("id", "rank-bars").size["width"], 30)
    assert tip(browser)[0] == "rank 3 on node1"
    width_of(browser, "#matrix")
    point_at(browser, "#matrix", MATRIX[0] + 60, MATRIX[1] + 20)  # a cell is 40 pixels wide
    assert tip(browser) == ["rank 0 → 1", "20 messages, 164 kB"]
    browser.execute_script("document.querySelector('[data-measure=messages]').click()")
    assert browser.find_element("css selector", "[data-high=matrix]").text == "20 messages"
    assert complaints(browser) == []
    assert set(requests(browser)) == {page.as_uri()}


def test_the_timeline_shows_calls_zooms_and_moves(browser, page):
    show(browser, page, width=1440)
    drawn(browser)
    # The sum of the first rank in the tenth of 20 steps: it takes 0.4 of each.
    width = width_of(browser, "#events") - TIMELINE[0]
    point_at(browser, "#events", TIMELINE[0] + (9.8 / 20) * width, TIMELINE[1] + 10)
    name, site, communicator, *_, last = tip(browser)
    assert name == "MPI_Allreduce on rank 0"
    assert site == "solver.py:42 (residual)"
    assert communicator == "on world"
    assert last == "400 µs, at 0.009590 s"
    point_at(browser, "#events", 0, 0, "pointerleave")
    assert not browser.find_element("id", "tip").is_displayed()
    whole = wait_for(lambda: picture(browser, "#events"))
    # A box around the fifth step of the first rank, of which this rank's sum begins in the middle.
    left, right = (TIMELINE[0] + step / 20 * width for step in (4, 5))
    drag(browser, (left, TIMELINE[1] + 5), (right, TIMELINE[1] + 30), shiftKey=True)
    zoomed = wait_for(lambda: (now := picture(browser, "#events")) != whole and now)
    point_at(browser, "#events", TIMELINE[0] + 0.75 * width, TIMELINE[1] + 10)
    assert tip(browser)[-1] == "400 µs, at 0.004590 s"
    drag(browser, (TIMELINE[0] + 0.5 * width, 60), (TIMELINE[0] + 0.2 * width, 60))
    wait_for(lambda: picture(browser, "#events") != zoomed)
    point_at(browser, "#events", TIMELINE[0] + 0.45 * width, TIMELINE[1] + 10)
    assert tip(browser)[-1] == "400 µs, at 0.004590 s"  # 0.3 of the width to the left
    point_at(browser, "#events", 0, 0, "pointerleave")
    browser.find_element("css selector", "[data-zoom=all]").click()
    assert wait_for(lambda: picture(browser, "#events") == whole)
    assert complaints(browser) == []


def test_columns_sort_and_the_search_filters(browser, page):
    show(browser, page)
    drawn(browser)
    heads = browser.find_elements("css selector", "#all-rows thead th")
    heads[3].click()
    assert [row[0] for row in cells_in_sight(browser, "calls")[1:]] == [
        *("MPI_Wait", "MPI_Send", "MPI_Recv", "MPI_Allreduce"),
    ]
    browser.find_element("id", "search").send_keys("exchange")
    assert [row[0] for row in cells_in_sight(browser, "calls")[1:]] == ["MPI_Send", "MPI_Recv"]


def test_dark_and_a_phone(browser, page, tmp_path):
    show(browser, page, width=390, height=3000, mobile=True, dark=True)
    drawn(browser, "dark")
    screenshot(browser, tmp_path / "phone.png")
    assert browser.execute_script("return getComputedStyle(document.body).color") == DARK_INK
    assert browser.execute_script("return document.documentElement.scrollWidth") == 390
    browser.find_element("id", "theme").click()
    drawn(browser, "light")
    assert complaints(browser) == []


def test_a_thousand_ranks_and_none_that_calls(browser, tmp_path):
    (path,) = write_report(made_up(1024, 3), tmp_path, ["html"])
    complaints(browser)
    show(browser, path)
    drawn(browser)
    width = min(640, width_of(browser, "#matrix") - MATRIX[0]) / 512  # of a cell with two ranks each way
    point_at(browser, "#matrix", MATRIX[0] + 300.5 * width, MATRIX[1] + 300.5 * width)
    lines = tip(browser)
    assert lines == ["rank 600 → 601", "3 messages, 24.6 kB"]
    (empty,) = write_report(no_calls(), tmp_path, ["html"])
    show(browser, empty)
    assert "No MPI call was recorded." in browser.find_element("css selector", ".headline").text
    assert complaints(browser) == []
