from polympi.lab.records import Environment, Finding, StackMetadata
from polympi.lab.report.metadata import findings, sections

METADATA = {
    "host": "node7",
    "command": ["polympi", "run", "-o", "a b"],
    "cpu": {"model": "X", "smt": False, "governor": None, "frequency_max_mhz": 3400.0, "caches": {"l2_bytes": 2e6}},
    "slurm": None,
    "nodes": [{"name": "a"}, {"name": "b"}],
    "empty": {},
}
FINDINGS = [Finding("note", "Virtual machine", "t", ""), Finding("warning", "Busy", "t", "wait")]
RECORD = Environment(
    metadata=METADATA, findings=FINDINGS, stacks={"mpich": StackMetadata(library="MPICH 5", compiles_as="gcc")}
)


def test_any_record_becomes_sections_with_labels():
    found = {section.title: dict(section.entries) for section in sections(RECORD)}
    assert found["General"] == {"Host": "node7", "Command": "polympi run -o 'a b'", "Slurm": "–"}
    assert found["CPU"] == {
        "Model": "X",
        "SMT": "no",
        "Governor": "–",
        "Frequency max": "3,400 MHz",
        "Caches › L2": "2.00 MB",
    }
    assert found["Nodes"] == {"1 › Name": "a", "2 › Name": "b"}
    assert found["Stacks"]["Mpich › Library"] == "MPICH 5"
    assert found["Stacks"]["Mpich › Compiles as"] == "gcc"
    assert "Findings" not in found


def test_warnings_come_first():
    assert [finding.title for finding in findings(RECORD)] == ["Busy", "Virtual machine"]


def test_a_record_without_anything():
    assert sections(Environment()) == []
    assert findings(Environment()) == []
