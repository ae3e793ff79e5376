"""Reading ONNX graphs."""

import numpy as np
import pytest
from onnx import helper

from reflow.onnx.model import OnnxModel
from reflow.onnx.node import OnnxError
from reflow.onnx.reader import UnknownOperators
from tests.onnx.models import info, model, proto


def test_all_unknown_operators_are_named_at_once():
    wrong = proto(
        [
            ("Nonsense", ["x"], ["a"], {}), ("Relu", ["a"], ["b"], {}), ("Riddle", ["b"], ["y"], {}),
            ("Nonsense", ["b"], ["z"], {}),
        ],
        {"x": [2]}, ["y", "z"],
    )  # fmt: skip
    with pytest.raises(
        UnknownOperators, match=r"Nonsense: (Nonsense_3, Nonsense_0|Nonsense_0, Nonsense_3)(.|\n)*Riddle: Riddle_2"
    ):
        OnnxModel(wrong)


def test_a_node_that_does_not_fit_is_named():
    with pytest.raises(OnnxError, match="MatMul_0"):
        model([("MatMul", ["x", "w"], ["y"], {})], {"x": [2, 3]}, ["y"], {"w": np.ones((4, 2), np.float32)})


def test_a_tensor_that_nobody_makes():
    with pytest.raises(OnnxError, match="'missing'"):
        model([("Add", ["x", "missing"], ["y"], {})], {"x": [2]}, ["y"])


def test_what_follows_from_constants_is_computed_when_the_model_is_read():
    read = model(
        [
            ("Shape", ["x"], ["s"], {}), ("Gather", ["s", "i"], ["n"], {}), ("Unsqueeze", ["n", "zero"], ["shape"], {}),
            ("ConstantOfShape", ["shape"], ["z"], {}), ("Add", ["x", "z"], ["y"], {}),
        ],
        {"x": [2, 3]}, ["y"], {"i": np.int64(1), "zero": np.array([0])},
    )  # fmt: skip
    assert [n.type for n in read.graph.nodes if n.type != "Placeholder"] == ["AddV2"]


def test_negative_lengths_are_open():
    read = model([("Relu", ["x"], ["y"], {})], {"x": [-1, 2]}, ["y"])
    assert read.graph.arguments[0].shape.as_list() == [None, 2]


def test_axes_with_names_are_open():
    read = model([("Relu", ["x"], ["y"], {})], {"x": ["batch", 2]}, ["y"])
    assert read.specs["x"].shape.as_list() == [None, 2]
    assert read(np.ones((5, 2), np.float32)).shape == (5, 2)
    with pytest.raises(ValueError, match=r"'x' has the shape \(None, 2\); received \(5, 3\)"):
        read(np.ones((5, 3), np.float32))


def test_a_function_of_the_model():
    function = helper.make_function(
        "own", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 17)]
    )
    graph = helper.make_graph(
        [helper.make_node("Twice", ["x"], ["y"], domain="own")], "g", [info("x", [2])], [info("y", [2])]
    )
    whole = helper.make_model(
        graph, functions=[function], opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    )
    np.testing.assert_array_equal(OnnxModel(whole)(np.array([1, 2], np.float32)), [2, 4])


def test_older_operator_sets_keep_their_meaning():
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    squeezed = model(
        [("Unsqueeze", ["x"], ["u"], {"axes": [0]}), ("Softmax", ["u"], ["y"], {"axis": 2})], {"x": [2, 3, 2]}, ["y"],
        opset=7,
    )
    flat = np.exp(x.reshape(2, 6) - x.reshape(2, 6).max(1, keepdims=True))
    np.testing.assert_allclose(squeezed(x).numpy().reshape(2, 6), flat / flat.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("positive", [True, False])
def test_a_branch_decided_by_the_input_sees_the_graph_around_it(positive):
    branches = {
        name: helper.make_graph([helper.make_node(op, ["x", "w"], ["r"])], name, [], [info("r", [2])])
        for name, op in (("then_branch", "Add"), ("else_branch", "Sub"))
    }
    read = model(
        [
            ("ReduceSum", ["x"], ["s"], {"keepdims": 0}), ("Greater", ["s", "zero"], ["c"], {}),
            ("If", ["c"], ["y"], branches),
        ],
        {"x": [2]}, ["y"], {"w": np.float32([1, 1]), "zero": np.float32(0)},
    )  # fmt: skip
    sign = 1 if positive else -1
    np.testing.assert_array_equal(read(sign * np.float32([1, 2])), sign * np.float32([2, 3]))
