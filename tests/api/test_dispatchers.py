"""`tf.__internal__.dispatch`.

What a global dispatcher replaces stays replaced, so this runs in a process of its own.
"""

import subprocess
import sys

import pytest

import reflow as tf

dispatch = tf.__internal__.dispatch

PROGRAM = """
import reflow as tf

class Symbol:
    def __init__(self, text):
        self.text = text
    def __array__(self, dtype=None):
        raise TypeError("symbolic")

for name in tf.Tensor.OVERLOADABLE_OPERATORS:
    setattr(Symbol, name, getattr(tf.Tensor, name))
Symbol.dtype = tf.float32

class All(tf.__internal__.dispatch.GlobalOpDispatcher):
    def handle(self, op, args, kwargs):
        leaves = tf.nest.flatten([args, kwargs])
        return Symbol(op.__name__) if any(isinstance(x, Symbol) for x in leaves) else self.NOT_SUPPORTED

class Slices(tf.__internal__.dispatch.OpDispatcher):
    def handle(self, args, kwargs):
        return "slice" if isinstance(args[0], Symbol) else self.NOT_SUPPORTED

relu, add, before = tf.nn.relu, tf.add, tf.concat([[1], [2]], 0).numpy().tolist()
All().register()
Slices().register(tf.__operators__.getitem)
x = Symbol("x")
total, image = tf.reduce_sum(input_tensor=x), tf.image.resize(x, [2, 2])
print(tf.nn.relu(x).text, tf.concat([x, [1.0]], axis=0).text, total.text, image.text)
print((x + 1).text, (1 + x).text, (tf.constant(1.0) * x).text, (-x).text, (x == 1).text, (2 ** x).text, x[0])
print(tf.nn.relu is relu, tf.math.add is add, tf.add(1, 2).numpy(), tf.concat([[1], [2]], 0).numpy().tolist() == before)
traced = tf.function(lambda t: tf.nn.relu(t) + t[0])
print(tf.range(3)[1].numpy(), tf.__operators__.add is tf.add, float(traced(tf.constant([2.0]))[0]))
try:
    tf.nn.relu(object())
except (TypeError, ValueError):
    print("refused")
"""

EXPECTED = """relu concat reduce_sum resize
add add multiply negative _equal pow slice
True True 3 True
1 False 4.0
refused
"""


def test_a_type_that_takes_over_all_functions():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    assert done.stdout == EXPECTED, done.stderr


def test_a_function_of_ones_own():
    @dispatch.add_dispatch_support(iterable_parameters=["values"])
    def total(values, start=0):
        return sum(values, start)

    class Text(dispatch.OpDispatcher):
        def handle(self, args, kwargs):
            return "".join(args[0]) if all(isinstance(x, str) for x in args[0]) else self.NOT_SUPPORTED

    Text().register(total)
    assert total([1, 2]) == 3 and total(iter("ab")) == "ab"
    with pytest.raises(TypeError):
        total([None])

    @dispatch.dispatch_for_types(total, dict)
    def of_dictionaries(values, start=0):
        return "dictionary"

    assert total([{}]) == "dictionary" and total.__name__ == "total"
    with pytest.raises(AssertionError, match="non-default arguments must be identical"):
        dispatch.dispatch_for_types(total, dict)(lambda x: x)
