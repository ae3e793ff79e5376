"""`docs/names-left-out.md`: the names that it lists exist in TensorFlow, once each, not here, and are few;
so are the classes."""

import reflow
from tools import api_report


def test_names_that_stay_out():
    out = list(api_report.left_out())
    assert 0 < len(out) <= 40 and len(set(out)) == len(out)
    assert set(out) <= set(api_report.recorded_names())
    assert not [name for name in out if api_report.is_present(reflow, name)]
    assert all(len(reason) > 20 for reason in api_report.left_out().values())


def test_classes_that_lack_a_method():
    """Each is listed, none besides, and together with the names they are at most 40."""
    lines = api_report.disagreements(reflow, api_report.recorded_names())
    found = {line.split(":")[0].rpartition(".")[0] for line in lines}
    assert found == set(api_report.differing())
    assert len(found) + len(api_report.left_out()) <= 40
