from polympi.lab.report.facts import findings, sections

RECORD = {
    "host": "node7",
    "command": ["polympi", "run", "-o", "a b"],
    "cpu": {"model": "X", "smt": False, "governor": None, "frequency_max_mhz": 3400.0, "caches": {"l2_bytes": 2e6}},
    "slurm": None,
    "nodes": [{"name": "a"}, {"name": "b"}],
    "empty": {},
    "findings": [
        {"level": "note", "title": "Virtual machine", "text": "t", "advice": ""},
        {"level": "warning", "title": "Busy", "text": "t", "advice": "wait"},
    ],
}


def test_any_record_becomes_sections_of_labelled_facts():
    found = {section.title: dict(section.facts) for section in sections(RECORD)}
    assert found["General"] == {"Host": "node7", "Command": "polympi run -o 'a b'", "Slurm": "–"}
    assert found["CPU"] == {
        "Model": "X",
        "SMT": "no",
        "Governor": "–",
        "Frequency max": "3,400 MHz",
        "Caches › L2": "2.00 MB",
    }
    assert found["Nodes"] == {"1 › Name": "a", "2 › Name": "b"}
    assert "Findings" not in found


def test_warnings_come_first():
    assert [finding.title for finding in findings(RECORD)] == ["Busy", "Virtual machine"]


def test_a_record_without_anything():
    assert sections({}) == []
    assert findings({}) == []
