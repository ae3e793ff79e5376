"""Where warnings go."""

import logging
import sys
import types

from reflow.core.logging import warn

PRIVATE = "tensorflow.python.platform.tf_logging"


def test_a_warning_goes_to_the_logger(monkeypatch, caplog):
    monkeypatch.delitem(sys.modules, PRIVATE, raising=False)
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        warn("%d of %d", 1, 2)
    assert [record.getMessage() for record in caplog.records] == ["1 of 2"]


def test_a_function_in_the_place_of_tensorflows_gets_it(monkeypatch, caplog):
    said = []
    replaced = types.ModuleType(PRIVATE)
    replaced.warning = lambda *args: said.append(args)  # as `mock.patch.object(tf_logging, "warning")` does
    monkeypatch.setitem(sys.modules, PRIVATE, replaced)
    warn("%d of %d", 1, 2)
    assert said == [("%d of %d", 1, 2)] and not caplog.records
