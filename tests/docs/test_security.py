"""SECURITY.md names what exists."""

import re
from pathlib import Path

from reflow.core import limits
from reflow.graph.refusals import VARIABLE

TEXT = (Path(__file__).parents[2] / "SECURITY.md").read_text()


def test_all_limits_and_no_others_are_listed():
    assert set(re.findall(r"REFLOW_MAX_\w+", TEXT)) == set(limits.DEFAULTS)
    assert VARIABLE in TEXT


def test_a_limit_is_a_number(monkeypatch):
    monkeypatch.setenv("REFLOW_MAX_IMAGE_BYTES", "10")
    assert limits.limit("REFLOW_MAX_IMAGE_BYTES") == 10
    monkeypatch.setenv("REFLOW_MAX_IMAGE_BYTES", "many")
    try:
        limits.limit("REFLOW_MAX_IMAGE_BYTES")
    except ValueError as error:
        assert "REFLOW_MAX_IMAGE_BYTES must be a number. Received: 'many'" in str(error)
    else:
        raise AssertionError("a limit that is no number must be refused")
