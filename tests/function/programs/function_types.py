"""What a trace tells about itself: its name, its type and parameters, structured arguments and results of every kind, atomic functions."""
import collections
import dataclasses
import inspect
import re

import tensorflow as tf

Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Masked:
    value: tf.Tensor
    size: int = 3

    def __tf_flatten__(self):
        return (self.size,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(components[0], metadata[0])


@tf.function
def f(x, y=3):
    return x + y


c = f.get_concrete_function(tf.TensorSpec([None], tf.int32))
print(type(c.name).__name__, c.name.decode() == c.function_def.signature.name, re.sub(rb"\d+", b"N", c.name))
kind = c.function_type
print(kind, list(kind.parameters), kind.output, kind.flat_inputs, kind.flat_outputs, dict(kind.captures))
print(repr(kind))
for p in kind.parameters.values():
    print(repr(p), p.optional, p.type_constraint)
print(isinstance(kind, tf.types.experimental.FunctionType), isinstance(kind, inspect.Signature), f.function_type)
print(tf.function(lambda x, k=1: x, input_signature=[tf.TensorSpec([])]).function_type)
inner = c.inference_fn
print(isinstance(inner, tf.types.experimental.AtomicFunction), inner.name == c.name, inner(tf.constant([1]), 3).numpy())
print(c.graph.as_graph_def().versions.producer, tf.function(lambda x: x).get_concrete_function(1).graph.name, f.name)


def show(function, *args, **kwargs):
    """The type of a trace and its inputs."""
    found = tf.function(function).get_concrete_function(*args, **kwargs)
    print(found.structured_input_signature, [t.name for t in found.inputs])
    print(found.structured_outputs, [t.name for t in found.outputs])
    print(re.sub(r"0x\w+", "0x", found.pretty_printed_signature(verbose=False)))
    return found


spec, row = tf.TensorSpec([]), tf.TensorSpec([2], tf.int32, name="row")
show(lambda p, d: {"p": Pair(p.b, p.a), "d": d, "k": (1, None, "s", d["b"])}, Pair(spec, row), {"b": spec, "a": 5})
held = show(lambda m: [Masked(m.value * 2, m.size)], Masked(tf.TensorSpec([None])))
print(held(Masked(tf.constant([1.0, 2.0])))[0].value.numpy())
for wrong in (Masked(tf.constant([1.0]), 4), tf.constant([1.0])):
    try:
        held(wrong)
    except TypeError as e:
        print(str(e).split("`")[1])
mixed = show(lambda r, s: (r * 2.0, s), tf.RaggedTensorSpec([None, None]), tf.SparseTensorSpec([None, 3]))
print(mixed.output_dtypes, mixed.output_shapes)
show(lambda *args, **kw: args[0] + kw["z"], spec, tf.TensorSpec([]), z=spec, a=spec)
show(lambda a, b, /, c, *, d=1: a + c, spec, 2, c=spec)
show(lambda x: x, {"a b": spec})
print(tf.function(lambda n: n[1]).get_concrete_function(range(3)).pretty_printed_signature(verbose=False))
show(lambda v, x: v * x, tf.Variable([1.0, 2.0]), tf.TensorSpec([2]))
show(lambda x, y: x, tf.TensorSpec([], name="bad name"), tf.TensorSpec([], name="a/b"))
for thing in (len, Pair, tf.float32):
    print(re.sub(r"0x\w+", "0x", tf.function(lambda x: 0).get_concrete_function(thing).pretty_printed_signature(False)))
