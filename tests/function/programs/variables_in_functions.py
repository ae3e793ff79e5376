"""Variables: created on the first call, passed as arguments, in lists, sparse and sliced updates, of unknown shape, in branches."""
import tensorflow as tf


class Lazy(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = None

    @tf.function
    def __call__(self, x):
        if self.w is None:
            self.w = tf.Variable(tf.ones([x.shape[-1], 2]) * 0.5, name="w")
            self.b = tf.Variable(tf.zeros([2]), name="b")
        return x @ self.w + self.b


m = Lazy()
print(m(tf.ones([1, 3])).numpy(), [v.name for v in m.trainable_variables], m.__call__.experimental_get_tracing_count())


@tf.function
def forgetful(x):
    v = tf.Variable(1.0)
    return x * v


try:
    forgetful(tf.constant(2.0))
except ValueError as e:
    print("ValueError", "singleton" in str(e))


@tf.function
def loss_of(params, x):
    w, b = params["w"], params["b"]
    return tf.reduce_sum((x * w + b) ** 2)


p = {"w": tf.Variable(2.0), "b": tf.Variable(1.0)}
with tf.GradientTape() as tape:
    loss = loss_of(p, tf.constant([1.0, 2.0]))
print({k: float(g) for k, g in tape.gradient(loss, p).items()}, len(tape.watched_variables()))


@tf.function
def sgd(vs, gs, lr):
    for v, g in zip(vs, gs):
        v.assign_sub(lr * g)


sgd([p["w"], p["b"]], [tf.constant(1.0), tf.constant(2.0)], 0.5)
print(float(p["w"]), float(p["b"]))
buf = tf.Variable(tf.zeros([3, 2]))


@tf.function
def edit(i, row):
    buf[i].assign(row) if isinstance(i, int) else buf.scatter_update(tf.IndexedSlices(row, i))
    buf.scatter_add(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([2])))
    buf[0:1, 1:].assign([[9.0]])
    return buf.read_value()


print(edit(1, tf.constant([3.0, 4.0])).numpy().tolist())
grow = tf.Variable([1.0], shape=tf.TensorShape(None))


@tf.function
def append(x):
    grow.assign(tf.concat([grow, [x]], 0))
    return tf.size(grow)


print([int(append(float(i))) for i in range(3)], grow.numpy())
ema = tf.Variable(0.0)


@tf.function
def average(x, decay=0.5):
    if tf.equal(ema, 0.0):
        ema.assign(x)
    else:
        ema.assign(decay * ema + (1 - decay) * x)
    return ema.read_value()


print([float(average(tf.constant(x))) for x in (4.0, 8.0, 2.0)])
frozen = tf.Variable(1.0, trainable=False)


@tf.function
def watched():
    with tf.GradientTape() as tape:
        y = frozen * p["w"]
    return tape.gradient(y, [frozen, p["w"]], unconnected_gradients="zero")


print([float(g) for g in watched()])
c = tf.Variable(1.0, constraint=lambda z: tf.clip_by_value(z, 0.0, 1.0))
print(c.constraint(c * 5.0).numpy())
count = tf.Variable(0)


@tf.function
def loop(n):
    for _ in tf.range(n):
        count.assign_add(1)
        if count > 3:
            count.assign(0)
    return count


print(int(loop(tf.constant(6))))
