"""Generators of two replicas, mirrored values as tensors, and variables that the first step creates."""

import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
one = tf.distribute.OneDeviceStrategy("CPU:0")


def attempt(function):
    try:
        print(function())
    except (RuntimeError, ValueError, TypeError) as error:
        print(type(error).__name__, str(error).split(":")[0])


def draw(s):
    with s.scope():
        g = tf.random.Generator.from_seed(1)
        print(g.normal([2]))  # the code around all replicas draws the same, and advances all copies
        print(g.skip(3))
        print(g.state.numpy())
        print(s.run(lambda: g.normal([])))
    print(g.normal([2]))
    print(s.run(lambda: g.uniform([])))
    print(s.run(lambda: [part.normal([]) for part in g.split(2)]))
    print(s.run(lambda: g.make_seeds(1)))
    print(s.run(lambda: g.binomial([2], 10.0, 0.4)))
    print(s.experimental_local_results(g.state)[-1].numpy())
    print(tf.function(lambda: s.run(lambda: g.truncated_normal([1])))())
    print(tf.function(lambda: g.normal([1]))())
    outer = tf.random.Generator.from_seed(1)
    print(s.run(lambda: outer.normal([])))
    with s.scope():
        print(s.run(lambda: tf.random.Generator(copy_from=outer).normal([])))


draw(strategy)
draw(one)

with one.scope():
    attempt(lambda: tf.random.Generator.from_seed(1).normal([]))
with strategy.scope():
    of_strategy = tf.random.Generator.from_seed(1)
with one.scope():
    attempt(lambda: of_strategy.normal([]))


class Lazy(tf.Module):
    v = None

    def __call__(self):
        if self.v is None:
            self.v = tf.Variable(2.0, name="lazy")
        return self.v * 3.0


lazy = Lazy()
print(tf.function(lambda: strategy.run(lazy))())
print(repr(lazy.v))
model = Lazy()
print(strategy.run(model))
print(repr(model.v))

with strategy.scope(), strategy.scope():
    print(repr(tf.Variable(1.0, name="nested")))
attempt(lambda: strategy.run(lambda: strategy.run(lambda: 1)))
attempt(lambda: strategy.run(lambda: one.run(lambda: 1)))
attempt(lambda: strategy.run(strategy.scope().__enter__))
attempt(lambda: strategy.run(one.scope().__enter__))

with strategy.scope():
    v = tf.Variable([1.0, 2.0])
    mirrored = strategy.extended.update(v, lambda x: x * 2.0)
    different = strategy.run(lambda: tf.constant([1.0, 2.0]))
print(mirrored + 1, 1 - mirrored, mirrored[0], -mirrored, abs(mirrored), mirrored < 3, mirrored**2)
print(tf.reduce_sum(mirrored), tf.convert_to_tensor(mirrored), mirrored.shape, mirrored.dtype, mirrored.numpy())
print(mirrored == 2.0, tf.stack([mirrored, mirrored]), tf.function(lambda x: type(x).__name__)(mirrored))
attempt(lambda: tf.reduce_sum(different))
attempt(lambda: different + 1)
