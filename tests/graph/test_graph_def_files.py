"""GraphDefs that TensorFlow 2.21 wrote, and those of ours that it has run (`tools/golden/graph_defs.py`)."""

import collections
import json

import pytest

import reflow as tf
from tests.graph.graph_def_programs import PROGRAMS
from tools.golden import graph_defs as golden

ABOUT = {w: json.loads((golden.GOLDEN / w / "expected.json").read_text()) for w in ("tensorflow", "reflow")}


def ops(proto):
    """How often each op occurs in a GraphDef and its functions."""
    nodes = [*proto.node, *(n for f in proto.library.function for n in f.node_def)]
    return collections.Counter(n.op for n in nodes)


@pytest.mark.parametrize("writer", ["tensorflow", "reflow"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_files_run_with_the_writers_numbers(name, writer):
    about = ABOUT[writer][name]
    got = golden.run(tf, golden.read(tf, golden.GOLDEN / writer, name), about, name)
    assert max(golden.differences(got, about["values"])) < golden.TOLERANCE


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_written_now_is_what_tensorflow_has_run(name):
    proto, about = golden.export(tf, name)
    assert about == ABOUT["reflow"][name]
    assert ops(proto) == ops(golden.read(tf, golden.GOLDEN / "reflow", name))
    assert {op for op in ops(proto) if op.startswith("Reflow")} == set()


@pytest.mark.parametrize("name", ["arithmetic", "arrays", "shape_arithmetic", "calls", "strings"])
def test_names_are_tensorflows(name):
    """Nodes, inputs and outputs of simple functions have the names that TensorFlow gives them."""
    ours, theirs = (golden.read(tf, golden.GOLDEN / w, name) for w in ("reflow", "tensorflow"))
    for part in ("inputs", "outputs"):
        assert ABOUT["reflow"][name][part] == ABOUT["tensorflow"][name][part]
    ours, theirs = ({n.name: n.op for n in g.node if n.op not in ("Const", "NoOp")} for g in (ours, theirs))
    assert ours == theirs
