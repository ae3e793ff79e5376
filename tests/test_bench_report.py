"""The page that `make bench` writes."""

import importlib.util
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

FILE = Path(__file__).parent.parent / "bench" / "report.py"
ROW = {
    "name": "a + b", "group": "eager", "target": 2.0, "ratio": 4.0, "spread": [3.5, 4.5], "tf_us": 8.0, "reflow_us": 2.0
}
SLOW = {
    "name": "a & b", "group": "eager", "target": 2.0, "ratio": 1.0, "spread": [0.9, 1.1], "jax_us": 9e6,
    "reflow_us": 9e6,
}
BROKEN = {"name": "c", "group": "data", "target": 1.0, "ratio": None, "error": "it ended"}
MEASURED = {"processor": "Some CPU, 2 cores", "tensorflow": "2.21.0"}
RESULTS = [row | {"measured": MEASURED} for row in (ROW, SLOW, BROKEN)]


@pytest.fixture(scope="module")
def report():
    sys.path.insert(0, str(FILE.parent))  # its neighbours
    spec = importlib.util.spec_from_file_location("report", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.remove(str(FILE.parent))
    return module


def test_the_table(report):
    lines = report.table(RESULTS).splitlines()
    assert "Measured with processor Some CPU, 2 cores, tensorflow 2.21.0." in lines
    assert "## eager (geometric mean 2.00)" in lines
    assert "| a + b | 8 µs | 2 µs | 4.00 | 3.50 to 4.50 | 2 |" in lines
    assert "| a & b | 9 s (JAX) | 9 s | **1.00** | 0.90 to 1.10 | 2 |" in lines
    assert lines[-1] == "c failed: it ended"


def test_a_row_replaces_its_last_result(report, monkeypatch, tmp_path):
    monkeypatch.setattr(report, "RESULTS", tmp_path / "results.json")
    for row in (ROW, SLOW, BROKEN, ROW | {"ratio": 5.0}):
        report.keep(MEASURED, row)
    kept = report.kept({"a + b", "c"})
    assert (
        [(row["name"], row["ratio"]) for row in kept] == [("a + b", 5.0), ("c", None)]
        and kept[0]["measured"] == MEASURED
    )


def test_the_picture(report):
    root = ET.fromstring(report.picture(RESULTS))
    words = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"eager", "a + b", "a & b", "4.00", "1.00"} <= set(words) and "c" not in words
    widths = [float(e.get("width")) for e in root.iter("{http://www.w3.org/2000/svg}rect") if e.get("x")]
    assert widths[0] > 100 and widths[1] == 0


SERIES = {
    "number of nodes": {
        "tensorflow": [{"number": 10, "us": 200.0}, {"number": 1000, "us": 4e3}],
        "reflow": [{"number": 10, "us": 20.0}, {"number": 1000, "us": 4e3}],
    }
}


def test_how_a_step_grows(report):
    lines = report.scaling(SERIES).splitlines()
    assert "| number of nodes | tensorflow | 10: 200 µs | 1,000: 4 ms | 0.20 |" in lines
    assert "| number of nodes | reflow | 10: 20 µs | 1,000: 4 ms | 2.00 |" in lines


def test_the_curves(report):
    root = ET.fromstring(report.curves.picture(SERIES))
    space = "{http://www.w3.org/2000/svg}"
    words = {e.text for e in root.iter(f"{space}text")}
    assert {"number of nodes", "tensorflow", "reflow", "100", "100 µs", "1 ms"} <= words
    theirs, ours = (
        [tuple(map(float, p.split(","))) for p in e.get("points").split()] for e in root.iter(f"{space}polyline")
    )
    # above: slower
    assert theirs[1] == ours[1] and theirs[0][0] == ours[0][0] < ours[1][0] and theirs[0][1] < ours[0][1]
