"""What functions return: nested structures, None, attrs-like classes, data classes, strings, Python numbers, variables, operations."""
import collections
import dataclasses

import tensorflow as tf

Out = collections.namedtuple("Out", ["a", "b"])
v = tf.Variable(1.0)


@tf.function
def everything(x):
    return {
        "tuple": (x, [x + 1, None]),
        "named": Out(a=x, b={"c": x * 2}),
        "number": 3,
        "text": "hello",
        "variable": v,
        "bool": True,
        "ragged": tf.RaggedTensor.from_row_lengths(tf.stack([x, x, x]), [1, 2]),
        "sparse": tf.sparse.from_dense([[x]]),
        "ordered": collections.OrderedDict([("z", x), ("y", x)]),
    }


r = everything(tf.constant(2.0))
for k in sorted(r):
    plain = "" if k in ("ragged", "sparse", "text") else tf.nest.map_structure(lambda t: t if t is None else t.numpy().tolist(), r[k])
    print(k, type(r[k]).__name__, plain)
print(r["ragged"].to_list(), r["sparse"].values.numpy(), r["text"].numpy())


@tf.function
def nothing(x):
    v.assign(x)


print(nothing(tf.constant(5.0)), float(v))


@tf.function
def empty():
    return (), [], {}


print(empty())


@dataclasses.dataclass
class Config:
    n: int
    rate: float = 0.5


@tf.function
def configured(x, cfg):
    return x * cfg.n + cfg.rate


try:
    print(float(configured(tf.constant(1.0), Config(2))))
except Exception as e:
    print(type(e).__name__)


@dataclasses.dataclass(frozen=True)
class Frozen:
    n: int


@tf.function
def frozen(x, cfg):
    return x * cfg.n


print(int(frozen(tf.constant(2), Frozen(3))), int(frozen(tf.constant(2), Frozen(3))), frozen.experimental_get_tracing_count())


@dataclasses.dataclass
class Pair:
    left: tf.Tensor
    right: tf.Tensor

    def __tf_flatten__(self):
        return (), (self.left, self.right)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*components)


@tf.function
def swap(p):
    return Pair(p.right, p.left * 10)


s = swap(Pair(tf.constant(1), tf.constant(2)))
print(type(s).__name__, int(s.left), int(s.right))


@tf.function
def bad():
    return object()


try:
    bad()
except TypeError as e:
    print("TypeError", "must return zero or more Tensors" in str(e))


@tf.function
def side(x):
    return tf.group(v.assign_add(x), v.assign_add(x))


print(side(tf.constant(1.0)), float(v))
