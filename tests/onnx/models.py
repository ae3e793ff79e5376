"""Small ONNX models for tests."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from reflow.onnx.model import OnnxModel

KINDS = {
    np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64, np.dtype(bool): TensorProto.BOOL
}


def info(name, shape=None, dtype=np.float32):
    return helper.make_tensor_value_info(name, KINDS[np.dtype(dtype)], shape)


def proto(nodes, inputs, outputs, weights=None, opset=17) -> onnx.ModelProto:
    """A model. `nodes` are (operator, inputs, outputs, attributes).

    `inputs` name -> shape (of floats) or (shape, dtype).
    """
    made = [
        helper.make_node(op, ins, outs, name=f"{op}_{i}", **attrs) for i, (op, ins, outs, attrs) in enumerate(nodes)
    ]
    given = [info(n, *(s if isinstance(s, tuple) else (s,))) for n, s in inputs.items()]
    held = [numpy_helper.from_array(np.asarray(w), n) for n, w in (weights or {}).items()]
    graph = helper.make_graph(made, "g", given, [helper.make_empty_tensor_value_info(o) for o in outputs], held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def model(nodes, inputs, outputs, weights=None, opset=17) -> OnnxModel:
    return OnnxModel(proto(nodes, inputs, outputs, weights, opset))
