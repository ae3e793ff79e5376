"""Names of the nodes that public functions make: a scope for what is made of several ops, reads of variables, writes with names."""
import tensorflow as tf

v = tf.Variable([1.0, 2.0])
w = tf.Variable([1.0, 2.0])


def results(x):
    with tf.name_scope("s"):
        return [
            tf.clip_by_value(x, 0.0, 1.0),
            tf.clip_by_value(x, 0.0, 1.0, name="mine"),
            tf.clip_by_value(x, 0.0, 1.0, "third"),
            tf.norm(x),
            tf.nn.l2_normalize(x, 1),
            *tf.nn.moments(x, [0]),
            tf.nn.dropout(x, 0.5),
            tf.math.reduce_variance(x),
            tf.math.reduce_std(x),
            tf.einsum("ij,jk->ik", x, x),
            tf.einsum("ij->ji", x, name="swap"),
            tf.random.uniform([2]),
            tf.random.uniform([2], 1.0, 3.0),
            tf.random.uniform([2], 1, 3, tf.int32),
            tf.random.normal([2]),
            tf.random.truncated_normal([2], name="start"),
            tf.nn.sigmoid_cross_entropy_with_logits(x, x),
            tf.sort(x),
            tf.argsort(x),
            tf.sequence_mask([1, 2], 3),
            tf.clip_by_norm(x, 1.0),
            tf.boolean_mask(x, [True, False]),
            tf.linspace(0.0, 1.0, 3),
            tf.histogram_fixed_width(x, [0.0, 1.0]),
        ]


with tf.Graph().as_default():
    print([t.name for t in results(tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x"))])
    print(tf.multiply(1.0, 2.0).name, (tf.constant(1.0) * 2).name, tf.linalg.norm(tf.ones([2])).name)


@tf.function
def reads(x):
    v.assign([3.0, 4.0])
    v.assign_add(w)
    v.assign(w * 2, name="doubled")
    v.assign_sub(x)
    return [v + w, x + w, v[0], -v, v > 1.0, tf.add_n([v, w]), tf.multiply(v, 2.0), tf.gather(v, [1]), tf.identity(v), 3, v]


for op in reads.get_concrete_function(tf.TensorSpec([2])).graph.get_operations():
    if op.type != "NoOp":
        print(op.name, op.type, [t.name for t in op.inputs])
