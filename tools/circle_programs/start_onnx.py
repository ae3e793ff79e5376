"""tf2onnx: a function becomes an ONNX model."""

import tensorflow as tf
import tf2onnx

model, _ = tf2onnx.convert.from_function(
    tf.function(lambda x: tf.nn.relu(x @ tf.ones([3, 2]))), input_signature=[tf.TensorSpec([None, 3], tf.float32)]
)
assert {"MatMul", "Relu"} <= {node.op_type for node in model.graph.node}
