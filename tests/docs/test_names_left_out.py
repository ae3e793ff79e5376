"""`docs/names-left-out.md`: the names that it lists exist in TensorFlow, once each, not here, and are few."""

import reflow
from tools import api_report


def test_names_that_stay_out():
    out = list(api_report.left_out())
    assert 0 < len(out) <= 40 and len(set(out)) == len(out)
    assert set(out) <= set(api_report.recorded_names())
    assert not [name for name in out if api_report.is_present(reflow, name)]
    assert all(len(reason) > 20 for reason in api_report.left_out().values())
