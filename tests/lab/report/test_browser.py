"""The page as a reader opens it: a real Chromium, without a window."""

import csv
import json
import shutil
import time
from importlib.resources import files

import pytest
from built import built_analysis, launch, rich_run, summary_row
from synthetic import EFFECTS, make_run

from polympi.lab.conclusions.history import sentences
from polympi.lab.records import Environment, Finding
from polympi.lab.report.exporters import write_report
from polympi.lab.report.history.page import render_page
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.history.follow import follow
from polympi.lab.statistics.history.runs import Run, by_processor

pytestmark = pytest.mark.system

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
DRAWN = """
const shown = [...document.querySelectorAll('.chart')].filter(e => e.checkVisibility());
shown.find(e => e.dataset.drawn !== arguments[0])?.scrollIntoView();
return shown.map(e => {
  const svg = e.querySelector('svg.marks');
  const box = svg ? svg.getBoundingClientRect() : {width: 0, height: 0};
  return [e.dataset.chart, e.dataset.drawn ?? '', box.width, box.height, svg ? svg.querySelectorAll('path').length : 0];
})
"""
PAPER = 1032  # pixels: A4, landscape, without its margins
LEFT_OUT = """
const seen = selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility());
return [
  ...seen('.chart').filter(e => !e.querySelector('svg.marks')).map(e => e.dataset.chart),
  ...seen('.scroll').filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.querySelector('table').dataset.name),
  ...[...document.querySelectorAll('.on-stack table.main [data-binding]')]
    .filter(e => e.closest('.scroll').checkVisibility() && !e.checkVisibility() && !e.hidden)
    .map(e => e.dataset.binding),
];
"""
DARK_INK = "rgb(232, 234, 238)"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("chromium and chromedriver are not installed: apt-get install chromium chromium-driver")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=Service(driver))
    yield opened
    opened.quit()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    directory = rich_run(tmp_path_factory.mktemp("browser") / "run")
    (path,) = write_report(analyse(directory), directory.path, ["html"])
    return path


WIDE = ("c", "c-again", *(f"a-binding-{i}" for i in range(1, 6)), "c-multiple", "c-spin", "c-pages")


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """The report of a run of ten arms on two stacks."""
    effects = {name: (150.0 * i, 0.1 * i, 1.0) for i, name in enumerate(WIDE)}
    directory = rich_run(tmp_path_factory.mktemp("wide") / "run", stacks=("mpich", "openmpi"), effects=effects)
    (path,) = write_report(analyse(directory), directory.path, ["html"])
    return path


def show(browser, path, *, width=1280, height=4000, mobile=False, dark=False):
    """Open the page in a tall window, as if for the first time."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
    browser.get(path.as_uri())
    browser.execute_script("try { localStorage.clear() } catch {}")
    browser.get(path.as_uri())


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "the page did not get ready"
        time.sleep(0.05)
    return found


def charts_in_sight(browser, look="light"):
    """The charts that are not hidden, once all of them are drawn; scrolls to those that wait to come near."""

    def all_drawn():
        charts = browser.execute_script(DRAWN, look)
        return charts if charts and all(drawn == look for _, drawn, *_ in charts) else None

    return wait_for(all_drawn)


def complaints(browser):
    return [entry["message"] for entry in browser.get_log("browser")]


def requests(browser):
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    return [url for url in sent if not url.startswith(("data:", "blob:", "chrome:"))]  # its first tab is its own


def obstacles(browser):
    """What axe finds that keeps somebody from reading the page: contrast, labels, keyboard."""
    browser.execute_script((files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = browser.execute_async_script(
        "axe.run({exclude: ['.chart']}, {resultTypes: ['violations']}).then(arguments[0])"
    )
    return {one["id"]: [node["html"][:200] for node in one["nodes"]] for one in found["violations"]}


def screenshot(browser, path):
    browser.save_screenshot(str(path))
    assert path.stat().st_size > 20_000


def test_every_chart_draws_and_nothing_is_asked_of_a_network(browser, report, tmp_path):
    complaints(browser)
    requests(browser)
    show(browser, report)
    seen = {name: (width, height, paths) for name, _, width, height, paths in charts_in_sight(browser)}
    screenshot(browser, tmp_path / "desktop.png")
    opened = "document.querySelectorAll('#charts details, #published details').forEach(e => e.open = true)"
    browser.execute_script(opened)
    tabs = browser.find_elements("css selector", "[data-tab='benchmark']")
    assert len(tabs) >= 7
    for tab in tabs:
        browser.execute_script("arguments[0].click()", tab)
        seen |= {name: (width, height, paths) for name, _, width, height, paths in charts_in_sight(browser)}
    expected = browser.execute_script("return [...document.querySelectorAll('.chart')].map(e => e.dataset.chart)")
    assert set(seen) == set(expected)
    for name, (width, height, paths) in seen.items():
        assert width > 300, name
        assert height > 60, name
        assert paths > 3, name
    assert complaints(browser) == []
    assert set(requests(browser)) == {report.as_uri()}


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False)])
def test_nothing_keeps_a_reader_out(browser, report, width, dark):
    show(browser, report, width=width, mobile=width < 500, dark=dark)
    charts_in_sight(browser, "dark" if dark else "light")
    assert obstacles(browser) == {}
    browser.execute_script("document.documentElement.style.setProperty('--soft', '#ccc')")
    assert dark or "color-contrast" in obstacles(browser)


def test_dark_follows_the_system_and_the_toggle(browser, report, tmp_path):
    show(browser, report, dark=True)
    charts_in_sight(browser, "dark")
    assert browser.execute_script("return getComputedStyle(document.body).color") == DARK_INK
    screenshot(browser, tmp_path / "dark.png")
    browser.find_element("id", "theme").click()
    charts_in_sight(browser, "light")
    assert browser.execute_script("return getComputedStyle(document.body).color") != DARK_INK
    assert complaints(browser) == []


def test_a_phone_never_scrolls_sideways(browser, report, tmp_path):
    show(browser, report, width=390, height=6000, mobile=True)
    widths = [width for _, _, width, _, _ in charts_in_sight(browser)]
    assert all(250 < width <= 390 for width in widths)
    screenshot(browser, tmp_path / "phone.png")
    for tab in browser.find_elements("css selector", "[data-tab='benchmark']"):
        browser.execute_script("arguments[0].click()", tab)
        charts_in_sight(browser)
        assert browser.execute_script("return document.documentElement.scrollWidth") == 390


def cells_in_sight(browser, table):
    """The texts of the cells of a table that a reader sees, by row."""
    script = "return [...document.querySelector(arguments[0]).rows].filter(r => r.checkVisibility())"
    script += ".map(r => [...r.cells].filter(c => c.checkVisibility()).map(c => c.innerText.trim()))"
    return browser.execute_script(script, f"table[data-name='{table}']")


def test_a_phone_shows_one_binding_at_a_time(browser, report):
    from selenium.webdriver.support.select import Select

    show(browser, report, width=390, mobile=True)
    head, *lines = cells_in_sight(browser, "bindings-mpich")
    assert [text.split()[0] for text in head] == ["Benchmark", "C", "mpi4py"]
    assert all(len(line) == 3 for line in lines)
    Select(browser.find_element("css selector", "#table [data-one]")).select_by_value("mpi4py-object")
    assert cells_in_sight(browser, "bindings-mpich")[0][2].split()[0] == "mpi4py-object"
    assert browser.execute_script("return document.documentElement.scrollWidth") == 390


def test_the_main_table_fits_a_desktop_and_scrolls_below(browser, wide, tmp_path):
    wider = "const box = document.querySelector('table[data-name=bindings-mpich]').closest('.scroll');"
    wider += "return [box.scrollWidth - box.clientWidth, box.tabIndex]"
    show(browser, wide, width=1440, height=900)
    assert browser.execute_script(wider) == [0, -1]
    assert browser.execute_script("return document.documentElement.scrollWidth") == 1440
    show(browser, wide, width=900, height=900)
    beyond, tabindex = browser.execute_script(wider)
    assert beyond > 0
    assert tabindex == 0
    first = browser.execute_script(
        "const head = document.querySelector('table[data-name=bindings-mpich] tbody th');"
        "head.closest('.scroll').scrollLeft = 200; return head.getBoundingClientRect().left"
    )
    assert 0 <= first < 50  # it stays in sight


def test_the_overview_of_nine_arms_fits_one_screen(browser, wide, tmp_path):
    show(browser, wide, width=1440, height=900)
    box = "const r = document.querySelector('table.screen').getBoundingClientRect(); return [r.bottom, r.right]"
    bottom, right = browser.execute_script(box)
    assert bottom < 900
    assert right < 1440
    assert len([line for line in cells_in_sight(browser, "overview-mpich") if len(line) == 6]) == 1 + len(WIDE) - 2
    screenshot(browser, tmp_path / "overview.png")


def test_chips_choose_the_bindings_of_the_whole_page_and_the_address_keeps_them(browser, report):
    show(browser, report)
    charts_in_sight(browser)
    legend = "return [...document.querySelectorAll('[data-chart$=\"bytes-time\"] .role-legend-label text')]"
    legend += ".map(e => e.textContent)"
    assert "mpi4py" in browser.execute_script(legend)
    browser.find_element("css selector", "[data-chip='mpi4py']").click()
    assert browser.current_url == f"{report.as_uri()}?bindings=mpi4py-object"
    everywhere = "return [...document.querySelectorAll('main [data-binding]')].filter(e => e.checkVisibility())"
    everywhere += ".map(e => e.dataset.binding)"

    def only_the_other():
        return "mpi4py" not in browser.execute_script(everywhere) and "mpi4py" not in browser.execute_script(legend)

    wait_for(only_the_other)
    assert set(browser.execute_script(everywhere)) >= {"mpi4py-object"}
    assert "mpi4py-object" in browser.execute_script(legend)
    browser.get(browser.current_url)  # as somebody who was sent the address
    wait_for(only_the_other)
    browser.find_element("id", "reset").click()
    assert browser.current_url == report.as_uri()
    assert "mpi4py" in browser.execute_script(everywhere)
    assert complaints(browser) == []


def test_the_stack_is_kept_in_the_address_with_what_else_stands_there(browser, wide):
    show(browser, wide)
    browser.get(f"{wide.as_uri()}?page=2#table")
    browser.find_element("css selector", "[data-tab='stack'][data-value='openmpi']").click()
    assert browser.current_url == f"{wide.as_uri()}?page=2&stack=openmpi#table"
    browser.get(browser.current_url)
    assert cells_in_sight(browser, "overview-openmpi")
    assert cells_in_sight(browser, "overview-mpich") == []


def test_tables_can_be_copied_and_saved(browser, report, tmp_path):
    show(browser, report)
    where = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    browser.find_element("css selector", "[data-chip='mpi4py']").click()
    script = "const table = document.querySelector(`table[data-name=${arguments[0]}]`);"
    script += "[...table.closest('.card').previousElementSibling.querySelectorAll('button')]"
    script += ".find(b => b.textContent === arguments[1]).click()"
    browser.execute_script(script, "overview-mpich", "CSV")
    saved = wait_for(lambda: list(tmp_path.glob("overview-mpich.csv")))[0]
    lines = list(csv.DictReader(saved.read_text(encoding="utf-8-sig").splitlines()))
    assert {line["binding"] for line in lines} == {"mpi4py-object"}
    assert [line["benchmark"] for line in lines] == ["latency", "latency", "latency", "allreduce", "startup"][
        : len(lines)
    ]
    assert all(float(line["median_ns"]) > 100 for line in lines)
    browser.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    browser.execute_script(script, "overview-mpich", "Copy")
    label = "return document.querySelector('table[data-name=overview-mpich]').closest('.card')"
    label += ".previousElementSibling.innerText"
    wait_for(lambda: "Copied" in browser.execute_script(label))
    pasted = browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert [line.split("\t")[1] for line in pasted.splitlines()] == ["binding", *["mpi4py-object"] * len(lines)]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nothing_is_left_out_on_paper(browser, report, dark):
    show(browser, report, width=PAPER, height=600, dark=dark)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    wait_for(lambda: not browser.execute_script(LEFT_OUT))  # without scrolling


def test_a_click_in_the_legend_brings_a_binding_out(browser, report):
    from selenium.webdriver import ActionChains

    show(browser, report, height=2400)
    place = browser.find_element("css selector", "[data-chart='mpich-latency-standard-bytes-time']")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", place)
    wait_for(lambda: place.get_attribute("data-drawn"))
    faded = "return arguments[0].querySelectorAll('[opacity=\"0.08\"]').length"
    assert browser.execute_script(faded, place) == 0
    labels = place.find_elements("css selector", ".role-legend-label text")
    ActionChains(browser).click(next(label for label in labels if label.text == "mpi4py")).perform()
    wait_for(lambda: browser.execute_script(faded, place) > 5)


def test_the_table_of_all_rows_filters_and_sorts(browser, report):
    from selenium.webdriver.support.select import Select

    show(browser, report)
    browser.find_element("css selector", "#all-rows > summary").click()
    lines = "return [...document.querySelectorAll('#all-rows tbody tr')].map(e => e.innerText.split('\\t'))"
    everything = wait_for(lambda: browser.execute_script(lines))
    menu = Select(browser.find_element("css selector", "#all-rows select[aria-label='Binding']"))
    menu.select_by_value("mpi4py")
    mine = browser.execute_script(lines)
    assert 0 < len(mine) < len(everything)
    assert {line[1] for line in mine} == {"mpi4py"}
    heads = browser.find_elements("css selector", "#all-rows th")
    ratio = [head.text for head in heads].index("Ratio")
    browser.execute_script("arguments[0].click(); arguments[0].click()", heads[ratio])
    ratios = [float(line[ratio]) for line in browser.execute_script(lines) if line[ratio]]
    assert ratios == sorted(ratios, reverse=True)
    assert len(ratios) > 10
    assert complaints(browser) == []


@pytest.mark.parametrize(
    ("wanted", "column", "only"),
    [("allreduce", 2, {"allreduce"}), ("bandwidth mpi4py-object", 1, {"mpi4py-object"}), ("8 B latency", 5, {"8 B"})],
)
def test_all_rows_can_be_searched(browser, report, wanted, column, only):
    show(browser, report)
    browser.find_element("css selector", "#all-rows > summary").click()
    lines = "return [...document.querySelectorAll('#all-rows tbody tr')].map(e => e.innerText.split('\\t'))"
    everything = wait_for(lambda: browser.execute_script(lines))
    browser.find_element("id", "search").send_keys(wanted)
    found = browser.execute_script(lines)
    assert 0 < len(found) < len(everything)
    assert {line[column] for line in found} == only
    assert browser.find_element("id", "row-count").text.startswith(f"{len(found)} of ")


def test_overview_sentences_and_table_need_no_script(browser, wide):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(wide.as_uri())
        for place in ("table.screen", ".sentences article p", "#table table.main tbody"):
            assert browser.find_element("css selector", place).is_displayed()
        assert not browser.find_element("id", "chooser").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_hostile_words_stay_words(browser, tmp_path):
    hostile = "</script><script>window.stolen = 1</script><img src=x onerror='window.stolen = 1'>"
    analysis = built_analysis(
        [summary_row(s, binding=b) for s in (8, 64) for b in ("c", hostile)],
        bindings=("c", hostile),
        launches=[launch(0, binding=hostile, outcome="crashed", stderr_tail=hostile, detail=hostile)],
        environment=Environment(findings=[Finding("warning", hostile, hostile, hostile)]),
    )
    (path,) = write_report(analysis, tmp_path, ["html"])
    show(browser, path)
    charts_in_sight(browser)
    browser.find_element("css selector", "#all-rows > summary").click()
    assert browser.execute_script("return window.stolen ?? 'nothing'") == "nothing"
    assert hostile in browser.find_element("css selector", "#failed pre").text
    assert complaints(browser) == []


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """The page of twelve runs, in which a binding becomes slower."""
    folder, paths = tmp_path_factory.mktemp("history"), []
    for number in range(1, 13):
        slow = EFFECTS | {"mpi4py": (520.0, 0.0, 1.5)}
        effects = slow if number > 7 else EFFECTS
        paths.append(make_run(folder / f"run-{number}", seed=number, events=1, effects=effects).path)
    runs = [Run.read(path) for path in paths]
    found = follow(by_processor(runs))
    page = folder / "history.html"
    page.write_text(render_page(found, runs, sentences(found, runs, {}), "0.1"))
    return page


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False)])
def test_a_history_is_drawn_and_keeps_nobody_out(browser, history, width, dark):
    complaints(browser)
    show(browser, history, width=width, mobile=width < 500, dark=dark)
    drawn = charts_in_sight(browser, "dark" if dark else "light")
    assert len(drawn) == 5  # latency, bandwidth, barrier, allreduce and start-up
    assert all(wide > 250 and paths > 3 for _, _, wide, _, paths in drawn)
    assert "mpi4py in latency" in browser.find_element("css selector", ".headline").text
    assert obstacles(browser) == {}
    assert complaints(browser) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") == width
