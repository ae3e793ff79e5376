"""Flags of version 1: read from the command line when one is first asked for."""

import sys

import pytest
from absl import flags as absl_flags

import reflow as tf

flags = tf.compat.v1.flags


@pytest.fixture(autouse=True)
def unparsed(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["program", "--reflow_rate=2", "rest"])
    absl_flags.FLAGS.unparse_flags()
    yield
    absl_flags.FLAGS.unparse_flags()


def test_flags_are_parsed_when_asked_for():
    flags.DEFINE_float(flag_name="reflow_rate", default_value=0.5, docstring="how fast")
    flags.DEFINE_integer("reflow_steps", 3, "how many")
    assert tf.compat.v1.app.flags is flags and not flags.FLAGS.is_parsed()
    assert flags.FLAGS.reflow_rate == 2.0 and flags.FLAGS.reflow_steps == 3 and flags.FLAGS.is_parsed()
    flags.FLAGS.reflow_steps = 7
    assert flags.FLAGS["reflow_steps"].value == absl_flags.FLAGS.reflow_steps == 7 and "reflow_rate" in flags.FLAGS
    with pytest.raises(AttributeError):
        flags.FLAGS.reflow_nothing  # noqa: B018
    for name in ("reflow_rate", "reflow_steps"):
        delattr(flags.FLAGS, name)
    assert "reflow_rate" not in list(flags.FLAGS)


def test_unknown_flags_raise():
    with pytest.raises(flags.UnrecognizedFlagError, match="reflow_rate"):
        flags.FLAGS.verbosity  # noqa: B018
