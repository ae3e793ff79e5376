"""Where warnings go."""

import logging
import subprocess
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


def test_how_a_message_looks():
    """TensorFlow prints the level and the logger's name, unless the program set up logging before the import."""
    program = "import reflow as tf\ntf.get_logger().warning('w')\ntf.get_logger().info('i')\n"
    prepared = "import logging\nlogging.basicConfig(format='%(name)s %(message)s')\n" + program
    shown = [
        subprocess.run([sys.executable, "-c", p], capture_output=True, text=True, check=True).stderr
        for p in (program, prepared)
    ]
    assert shown == ["WARNING:tensorflow:w\n", "tensorflow w\n"]
