"""Frozen graphs: functions and sessions whose variables become constants, with branches, loops and embeddings; imported again."""
import numpy as np
import tensorflow as tf

try:
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
except ImportError:  # where Reflow is not installed as TensorFlow
    convert_variables_to_constants_v2 = tf.__internal__.freeze.convert_variables_to_constants_v2

v1 = tf.compat.v1
w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
b = tf.Variable([0.5, 0.25], name="b")
bias = tf.constant([10.0, 20.0])


@tf.function
def affine(x):
    return tf.matmul(x, w) + b


@tf.function
def f(x, ids):
    y = affine(x) + bias
    if tf.reduce_sum(x) > 0:
        y = y * b
    for _ in tf.range(2):
        y = affine(y) * 0.1
        if y[0, 0] > 1e6:
            y -= b
    return {"y": y, "rows": tf.gather(w, ids), "shape": tf.shape(w)}


c = f.get_concrete_function(tf.TensorSpec([None, 2], name="inp"), tf.TensorSpec([None], tf.int32, name="ids"))
frozen = convert_variables_to_constants_v2(c)
print([t.name for t in frozen.inputs], len(frozen.outputs), len(frozen.variables), frozen.captured_inputs)
x, ids = tf.constant([[1.0, 2.0], [-3.0, 0.5]]), tf.constant([1, 0, 1])
before = [t.numpy() for t in tf.nest.flatten(f(x, ids))]
w.assign(w * 0.0)
for _ in range(2):
    print([bool(np.allclose(a, b.numpy())) for a, b in zip(before, frozen(x, ids))], frozen(-x, ids)[2].numpy().round(3).tolist())
proto = frozen.graph.as_graph_def()
kinds = {n.op for n in proto.node}
print([k in kinds for k in ("ReadVariableOp", "VarHandleOp", "PartitionedCall", "StatefulPartitionedCall", "Const", "MatMul")])
again = v1.wrap_function(lambda: tf.import_graph_def(proto, name=""), [])
pruned = again.prune([t.name for t in frozen.inputs], [t.name for t in frozen.outputs])
print([bool(np.allclose(a, b.numpy())) for a, b in zip(before, pruned(x, ids))])

with tf.Graph().as_default() as g:
    p = v1.placeholder(tf.float32, [None, 2], name="p")
    with v1.variable_scope("layer"):
        kernel = v1.get_variable("kernel", initializer=tf.constant([[1.0], [2.0]]))
    rows = tf.identity(tf.gather(kernel, [1]), name="rows")
    out = tf.identity(tf.matmul(p, kernel) + rows, name="out")
    tf.identity(p, name="unused")
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        constant = v1.graph_util.convert_variables_to_constants(session, g.as_graph_def(), ["out"])
        part = v1.graph_util.extract_sub_graph(g.as_graph_def(), ["unused"])
print([(n.name, n.op) for n in part.node], sorted({n.op for n in constant.node}), "unused" in [n.name for n in constant.node])
short = v1.graph_util.remove_training_nodes(constant, protected_nodes=["out"])
print(sorted(n.op for n in short.node))
for graph_def in (constant, short):
    with tf.Graph().as_default():
        (y,) = tf.import_graph_def(graph_def, {"p": tf.constant([[1.0, 1.0]])}, ["out:0"])
        with v1.Session() as session:
            print(session.run(y))
for names in (["nope"], "out"):
    try:
        v1.graph_util.extract_sub_graph(constant, names)
    except (AssertionError, TypeError) as e:
        print(type(e).__name__, e)
