"""How much AutoGraph says."""

import pytest
from malt.utils import ag_logging as malts

import reflow as tf
from reflow.drop_in.python.autograph.utils import ag_logging


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    monkeypatch.setattr(malts, "verbosity_level", None)
    monkeypatch.setattr(malts, "echo_log_to_stdout", False)
    monkeypatch.setenv("AUTOGRAPH_VERBOSITY", "0")


def test_the_level_decides(capsys):
    tf.autograph.set_verbosity(2, alsologtostdout=True)
    assert ag_logging.get_verbosity() == 2 and ag_logging.has_verbosity(2) and not ag_logging.has_verbosity(3)
    ag_logging.log(2, "said %s", "now")
    ag_logging.log(3, "not said")
    assert capsys.readouterr().out == "said now\n"
