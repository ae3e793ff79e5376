"""ExtensionTypes, RaggedTensors and user structures as arguments and results of functions."""
import tensorflow as tf


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor

    def total(self):
        return tf.reduce_sum(tf.where(self.mask, self.values, tf.zeros_like(self.values)))

    def __add__(self, other):
        return Masked(self.values + other, self.mask)


@tf.function
def double(m):
    print("trace")
    return Masked(m.values * 2, tf.logical_not(m.mask)), m.total()


m = Masked([1, 2, 3], [True, False, True])
n, t = double(m)
print(n.values.numpy(), n.mask.numpy(), int(t))
double(Masked([4, 5, 6], [True, True, True]))
double(Masked([4.0], [True]))
print(tf.type_spec_from_value(m))


@tf.function
def loop(m, k):
    for _ in tf.range(k):
        m = m + 1
    return m


print(loop(m, 3).values.numpy())


@tf.function
def choose(flag, a, b):
    return tf.cond(flag, lambda: a, lambda: b)


print(choose(tf.constant(False), m, n).values.numpy())


class Pair(tf.experimental.ExtensionType):
    left: tf.Tensor
    name: str = "pair"

    class Spec:
        pass


@tf.function
def named(p):
    return p.left if p.name == "pair" else -p.left


print(int(named(Pair(tf.constant(3)))), int(named(Pair(tf.constant(3), name="other"))))
