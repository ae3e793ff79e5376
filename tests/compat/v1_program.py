"""A program of TensorFlow 1, as `test_v1_session.py` runs it and `tools/golden/v1_session.py` recorded its output."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def section(n):
    print("--", n)


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0][:100])


section("basic")
x = tf.placeholder(tf.float32, [None, 3], name="x")
y = tf.placeholder(tf.float32, [None, 1], name="y")
with tf.variable_scope("layer"):
    W = tf.get_variable("W", [3, 1], initializer=tf.constant_initializer(0.5))
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
pred = tf.matmul(x, W) + b
loss = tf.reduce_mean(tf.square(pred - y))
print(
    x.name,
    W.name,
    pred.name,
    loss.name,
    [v.name for v in tf.global_variables()],
    [v.name for v in tf.trainable_variables()],
)
rng = np.random.RandomState(0)
X = rng.randn(8, 3).astype("f")
Y = X @ np.array([[1.0], [2.0], [-1.0]], "f") + 0.3
gs = tf.train.get_or_create_global_step()
makers = dict(
    sgd=lambda: tf.train.GradientDescentOptimizer(0.1),
    mom=lambda: tf.train.MomentumOptimizer(0.05, 0.9),
    nest=lambda: tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
    adag=lambda: tf.train.AdagradOptimizer(0.1),
    rms=lambda: tf.train.RMSPropOptimizer(0.01, momentum=0.5),
    rmsc=lambda: tf.train.RMSPropOptimizer(0.01, centered=True),
    adam=lambda: tf.train.AdamOptimizer(0.05),
    adad=lambda: tf.train.AdadeltaOptimizer(1.0),
    ftrl=lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
)
for name, mk in makers.items():
    opt = mk()
    train = opt.minimize(loss, global_step=gs)
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        ls = [s.run([loss, train], {x: X, y: Y})[0] for _ in range(6)]
        print(name, [round(float(l), 4) for l in ls], int(s.run(gs)), opt.get_slot_names())
section("errors")
s = tf.Session()
attempt(lambda: s.run(pred, {x: X}))
s.run(tf.global_variables_initializer())
attempt(lambda: s.run(pred))
attempt(lambda: s.run(pred, {x: np.ones((2, 2))}))
attempt(lambda: s.run(3))
attempt(lambda: s.run(None))
attempt(lambda: s.run("nope:0"))
attempt(lambda: s.run({"a": loss, "b": [pred, (W,)]}, {x: X[:1], y: Y[:1]}))
attempt(lambda: s.run("layer/W:0"))
attempt(lambda: pred.eval())
attempt(lambda: tf.get_variable("layer/W", [3, 1]))
attempt(lambda: W.eval(session=s).tolist())
with tf.variable_scope("layer", reuse=True):
    W2 = tf.get_variable("W")
    print(W2 is W)
with tf.variable_scope("layer", reuse=True):
    attempt(lambda: tf.get_variable("Q", [1]))
section("assign")
c = tf.Variable(1.0, name="c")
up = tf.assign_add(c, 2.0)
s.run(c.initializer)
print(
    s.run(up),
    s.run(c),
    s.run(c.assign(7.0)),
    s.run(c),
    s.run(tf.report_uninitialized_variables()) if hasattr(tf, "report_uninitialized_variables") else "",
)
with tf.control_dependencies([tf.assign(c, 10.0)]):
    d = tf.identity(c) * 2
print(s.run(d))
c.load(5.0, s)
print(s.run(c))
section("flow")
i = tf.while_loop(lambda i: i < 10, lambda i: i + 3, [tf.constant(0)])
print(s.run(i))
p = tf.placeholder(tf.bool, [])
q = tf.cond(p, lambda: tf.constant(1.0), lambda: c)
print(s.run(q, {p: True}), s.run(q, {p: False}))
print(s.run(tf.argmax(X, 1)), s.run(tf.reduce_sum(X, reduction_indices=[1], keep_dims=True)).shape)
sp = tf.sparse_placeholder(tf.float32)
print(s.run(tf.sparse_tensor_to_dense(sp), {sp: tf.SparseTensorValue([[0, 1]], [2.0], [2, 2])}).tolist())
print(s.run(tf.placeholder_with_default(3.0, [])), s.run(tf.constant("hi")), s.run(tf.constant(["a", "b"])))
section("random")
tf.set_random_seed(3)
r = tf.random_normal([2])
r2 = tf.random_uniform([2], seed=5)
with tf.Session() as t:
    print(t.run(r), t.run(r), t.run(r2))
with tf.Session() as t:
    print(t.run(r))
section("grads")
g = tf.gradients(loss, [W, b])
print([a.shape for a in s.run(g, {x: X, y: Y})])
emb = tf.Variable(np.arange(8).reshape(4, 2).astype("f"))
l2 = tf.reduce_sum(tf.nn.embedding_lookup(emb, [1, 1, 3]) ** 2)
for mk in (
    lambda: tf.train.AdamOptimizer(0.1),
    lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    lambda: tf.train.GradientDescentOptimizer(0.1),
    lambda: tf.train.AdagradOptimizer(0.1),
):
    tr = mk().minimize(l2, var_list=[emb])
    with tf.Session() as t:
        t.run(tf.global_variables_initializer())
        t.run(tr)
        t.run(tr)
        print(t.run(emb).round(4).tolist())
section("saver")
d = tempfile.mkdtemp()
sv = tf.train.Saver([W, b])
path = sv.save(s, d + "/m", global_step=3)
print(os.path.basename(path), sorted(os.listdir(d)))
old = s.run(W)
s.run(W.assign(tf.zeros_like(W)))
sv.restore(s, tf.train.latest_checkpoint(d))
print((s.run(W) == old).all())
section("summary")
sc = tf.summary.scalar("loss", loss)
hi = tf.summary.histogram("w", W)
im = tf.summary.image("im", tf.ones([2, 4, 4, 1]))
m = tf.summary.merge_all()
try:
    from tensorboard.compat.proto.summary_pb2 import Summary
except ImportError:
    from tensorflow.core.framework.summary_pb2 import Summary
v = Summary.FromString(s.run(m, {x: X, y: Y}))
print(
    [(a.tag, a.WhichOneof("value")) for a in v.value],
    v.value[1].histo.num,
    list(v.value[1].histo.bucket),
    [round(z, 4) for z in v.value[1].histo.bucket_limit],
)
w = tf.summary.FileWriter(d + "/logs", s.graph)
w.add_summary(s.run(m, {x: X, y: Y}), 1)
w.close()
print(len(os.listdir(d + "/logs")))
print(tf.executing_eagerly(), tf.get_default_graph() is s.graph)
tf.reset_default_graph()
print(len(tf.get_default_graph().get_operations()))
sess = tf.InteractiveSession()
print(tf.constant(3).eval())
sess.close()
