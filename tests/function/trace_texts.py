"""Tracing: signatures, how arguments are bound, what makes a new trace, the warning about too many."""

import collections
import functools

import numpy as np

from tests.function.recorded import program, show_error


@program
def signatures(tf):
    @tf.function
    def f(x, y=2, *, z=3):
        return x + y + z

    f(tf.constant(1))
    f(tf.constant(1.0), 3.0, z=4.0)
    f(tf.constant([1, 2]), z=tf.constant(5))
    print(f.pretty_printed_concrete_signatures())
    print(f.pretty_printed_concrete_signatures(verbose=False))
    c = f.get_concrete_function(tf.TensorSpec([None], tf.int32))
    print(c.structured_input_signature, c.structured_outputs, c.output_shapes, c.output_dtypes)
    print(c)
    print(repr(c))
    print(
        [i.name for i in c.inputs], [o.name for o in c.outputs], c.captured_inputs, c.variables, c.trainable_variables
    )


@program
def calling_a_trace(tf):
    @tf.function
    def g(x, y=3):
        return x * y

    c = g.get_concrete_function(tf.TensorSpec([None], tf.int32))
    one = tf.constant([1])
    for args in ((one,), (one, 3), (one, 4), (tf.constant([1.0]),), (), ([1, 2],), (one, 2, 3)):
        show_error(c, *args)
    for kwargs in ({"x": one}, {"x": one, "y": 3}, {"y": 3}, {"x": one, "q": 2}):
        show_error(c, **kwargs)
    named = g.get_concrete_function(tf.TensorSpec([None], tf.int32, name="inp"), tf.TensorSpec([], tf.int32, name="k"))
    show_error(named, inp=one, k=tf.constant(2))
    show_error(named, x=one, y=tf.constant(2))
    print(named)


@program
def nested_arguments(tf):
    @tf.function
    def f(x, y=None):
        return x

    c = f.get_concrete_function(tf.TensorSpec([2]), {"b": tf.constant(1), "a": (tf.constant(2), 3)})
    print(c.structured_input_signature)
    print(c.pretty_printed_signature(verbose=False))
    show_error(c, tf.ones([2]), {"b": tf.constant(1), "a": (tf.constant(2), 3)})


@program
def binding(tf):
    @tf.function
    def f(x, y=2, *args, k, **kw):
        return x

    show_error(f)
    show_error(f, 1, k=2, x=3)
    show_error(f, tf.constant(1), k=1, zz=tf.constant(2))
    print(f(tf.constant(1), 3, 4, tf.constant(5), k=1, m=2))
    print(f.pretty_printed_concrete_signatures())
    specs = tf.TensorSpec([2], tf.float32, name="q"), tf.TensorSpec([], name="mm")
    c = f.get_concrete_function(tf.constant(1), 3, 4, specs[0], k=1, m=specs[1])
    print(c.structured_input_signature, repr(c), [i.name for i in c.inputs])

    @tf.function
    def g(a, b):
        return a

    show_error(g, 1)
    show_error(g, 1, 2, 3)
    show_error(g, 1, c=3)
    show_error(tf.function, 3)


Pair = collections.namedtuple("Pair", "a b")


@program
def structures_in_signatures(tf):
    spec = tf.TensorSpec([])

    def check(signature, argument):
        show_error(tf.function(lambda x: 0, input_signature=[signature], autograph=False), argument)

    check({"a": spec}, {"a": 1.0})
    check({"a": spec}, {"b": 1.0})
    check({"a": spec}, [1.0])
    check([spec], (1.0,))
    check((spec,), [1.0])
    check((spec, spec), (1.0,))
    check(Pair(spec, spec), Pair(1.0, 2.0))
    check(Pair(spec, spec), (1.0, 2.0))
    check((spec, spec), Pair(1.0, 2.0))
    check({"a": [spec]}, {"a": 3.0})
    check([spec], tf.constant([1.0]))
    for wrong in ([3], [[spec, None], "a"]):
        show_error(tf.function, lambda x: x, input_signature=wrong)
    show_error(tf.function, lambda x: x, input_signature=[spec, spec])
    show_error(tf.function, lambda x, y: x, input_signature=[spec])


@program
def captured(tf):
    v = tf.Variable(2.0, name="vv")
    w = tf.Variable([1.0, 2.0], trainable=False)
    t = tf.constant([5.0, 6.0])

    @tf.function
    def f(x):
        return x * v + w + t

    c = f.get_concrete_function(tf.TensorSpec([2]))
    print(
        [(str(i.dtype), i.shape) for i in c.captured_inputs], [v.name for v in c.variables], len(c.trainable_variables)
    )
    print(
        [(type(o).__name__, i.name) for o, i in c.graph.captures], c.graph.external_captures[2],
        c.graph.internal_captures,
    )
    print(c)


@program
def partials_and_methods(tf):
    def f(x, y, z=1):
        return x + y * z

    p = tf.function(functools.partial(f, y=2))
    print(p(tf.constant(1)), p(tf.constant(1), z=5))
    print(p.pretty_printed_concrete_signatures())
    print(tf.function(functools.partial(f, tf.constant(10)))(1), functools.partial(tf.function(f), 1)(tf.constant(2)))

    class C:
        k = 3

        def __call__(self, x):
            return x * self.k

        @tf.function
        def m(self, x, y=1):
            return x * self.k + y

        @classmethod
        @tf.function
        def c(cls, x):
            return x * cls.k

        @staticmethod
        @tf.function
        def s(x):
            return x + 1

        @property
        @tf.function
        def p(self):
            return self.k

    o = C()
    two = tf.constant(2)
    print(tf.function(o)(two), o.m(two), o.m(2, y=tf.constant(3)), C.c(two), o.c(two), C.s(two), o.s(two), o.p)
    print(o.m.pretty_printed_concrete_signatures())
    other = C()
    other.k = 7
    print(
        other.m(two), C.m(o, two), o.m is o.m, o.m.experimental_get_tracing_count(),
        other.m.experimental_get_tracing_count(),
    )
    print(tf.function(o.__call__)(two), o.m.get_concrete_function(tf.TensorSpec([], tf.int32)))

    @tf.function
    def recursive(x, n):
        return x if n == 0 else recursive(x * 2, n - 1)

    print(recursive(tf.constant(1), 5), recursive.experimental_get_tracing_count())
    print(tf.function(abs)(tf.constant(-1)), recursive.__name__, recursive.__wrapped__ is recursive.python_function)


@program
def kinds(tf):
    f = tf.function(lambda x: x)
    c = f.get_concrete_function(tf.constant(1))
    t = tf.types.experimental
    print([isinstance(f, k) for k in (t.GenericFunction, t.PolymorphicFunction, t.Callable, t.ConcreteFunction)])
    print([isinstance(c, k) for k in (t.GenericFunction, t.PolymorphicFunction, t.Callable, t.ConcreteFunction)])
    print(type(f).__name__, type(c).__name__, c.function_type)


@program
def what_makes_a_trace(tf):
    count = [0]

    @tf.function
    def f(*args, **kwargs):
        count[0] += 1
        return 0

    def traced(*args, **kwargs):
        before = count[0]
        f(*args, **kwargs)
        return count[0] - before

    t = tf.constant
    print([traced(x) for x in (1, 1, 2, "a", "a", None, t(1), t(2), t(1.0), t([1]), t([2, 3]))])
    print([traced(x) for x in (
        np.ones(2), np.zeros(2), t([1.0, 2.0], tf.float64), np.float32(1), np.float32(2), np.int64(1)
    )])
    print([
        traced(x) for x in ((1, 2), [1, 2], (1, 2), {"a": 1}, {"a": 1}, {"a": 2}, len, len, abs, tf.float32, tf.float32)
    ])
    print(traced(t(1), t(2)), traced(x=1), traced(x=1), traced(x=2))
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    print([traced(*x) for x in ((v,), (w,), (v, v), (v, w), (w, v), (tf.Variable([1.0]),), (tf.Variable(1),))])

    class Thing:
        pass

    thing, other = Thing(), Thing()
    print(traced(thing), traced(thing), traced(other), traced(other))
    r = tf.ragged.constant([[1], [2, 3]])
    print(traced(r), traced(tf.ragged.constant([[1], [2, 3, 4]])), traced(tf.data.Dataset.range(3)))
    print(traced(iter(tf.data.Dataset.range(3))), traced(iter(tf.data.Dataset.range(4))))
    show_error(traced, {1, 2})
    show_error(traced, bytearray(b"a"))


@program
def relaxed_shapes(tf):
    seen = []

    @tf.function(reduce_retracing=True)
    def f(x):
        seen.append(str(x.shape))
        return x

    for shape in ([1], [2], [3], [4], [2, 2], [3, 3], [1], []):
        f(tf.ones(shape))
    print(seen, f.experimental_get_tracing_count())
    print(f.pretty_printed_concrete_signatures())


@program
def general_traces_serve_special_calls(tf):
    seen = []

    @tf.function
    def f(x):
        seen.append(str(x.shape))
        return x

    f.get_concrete_function(tf.TensorSpec([None]))
    f(tf.ones([3]))
    f(tf.ones([2, 2]))
    print(seen)
    f.get_concrete_function(tf.TensorSpec(None))
    for shape in ([5, 5, 5], [2, 2], [3]):
        f(tf.ones(shape))
    print(seen, f.experimental_get_tracing_count())


@program
def tracing_protocol(tf):
    types = tf.types.experimental

    class LengthType(types.TraceType):
        def __init__(self, length):
            self.length = length

        def is_subtype_of(self, other):
            return isinstance(other, LengthType) and other.length in (None, self.length)

        def most_specific_common_supertype(self, others):
            return self if all(o == self for o in others) else LengthType(None)

        def placeholder_value(self, placeholder_context):
            return self.length

        def __eq__(self, other):
            return isinstance(other, LengthType) and other.length == self.length

        def __hash__(self):
            return hash(self.length)

        def __repr__(self):
            return f"LengthType({self.length})"

    class Text:
        def __init__(self, text):
            self.text = text

        def __tf_tracing_type__(self, context):
            return LengthType(len(self.text))

    seen = []

    def f(x):
        seen.append(x)
        return 0

    exact, relaxed = tf.function(f), tf.function(f, reduce_retracing=True)
    for text in ("a", "b", "cc", "a"):
        exact(Text(text))
    print(seen, isinstance(Text(""), types.SupportsTracingProtocol))
    print(exact.pretty_printed_concrete_signatures())
    seen.clear()
    for text in ("a", "b", "cc", "ddd"):
        relaxed(Text(text))
    print(seen)


@program
def eagerly(tf):
    seen = []

    @tf.function
    def f(x):
        seen.append(type(x).__name__)
        return x + 1

    f(tf.constant(1))
    tf.config.run_functions_eagerly(True)
    print(tf.config.functions_run_eagerly(), f(tf.constant(1)), f(1), f(tf.constant(1)), seen)
    tf.config.run_functions_eagerly(False)
    f(tf.constant(1))
    print(len(seen))


@program
def variables_on_the_first_call(tf):
    class Once:
        v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(x)
            return self.v.assign_add(x)

    once = Once()
    print(once(tf.constant(1.0)), once(tf.constant(1.0)), once.__call__.experimental_get_tracing_count())
    made = {}

    @tf.function
    def later(n):
        if n not in made:
            made[n] = tf.Variable(1.0)
        return made[n] + 0.0

    print(later(1))
    show_error(later, 2)

    @tf.function
    def each_time(x):
        made[len(made)] = tf.Variable(1.0)
        return x

    show_error(each_time, tf.constant(1.0))

    @tf.function
    def dropped(x):
        return tf.Variable(1.0) + x

    show_error(dropped, tf.constant(1.0))


@program
def attributes(tf):
    c = tf.function(lambda x: x, experimental_implements="my.op").get_concrete_function(1)
    print(c.function_def.attr["_implements"].s)
    c = tf.function(lambda x: x, experimental_attributes={"api_implements": "mine"}).get_concrete_function(1)
    print(c.function_def.attr["api_implements"].s)
    show_error(tf.function, lambda x: x, experimental_attributes={"a": "b"})
    show_error(tf.function, lambda x: x, jit_compile=True, experimental_compile=True)
    show_error(tf.function, lambda x: x, foo=3)
    show_error(lambda: tf.function(lambda x: x).experimental_get_compiler_ir(tf.constant(1)))


@program
def results(tf):
    class Other:
        def __repr__(self):
            return "an object"

    print(tf.function(lambda: (1, 2.0, "a", None, [True]), autograph=False)())
    print(tf.function(lambda: {"a": 1, "b": (2,)}, autograph=False)(), tf.function(lambda: None, autograph=False)())
    print(tf.function(lambda x: x, autograph=False)(3), tf.function(lambda x: x, autograph=False)([1, 2.5]))
    show_error(tf.function(lambda: Other(), autograph=False))
    show_error(tf.function(lambda: (tf.constant(1), len), autograph=False))


@program
def modified_arguments(tf):
    c = tf.constant(1)

    @tf.function
    def append(xs, k=1):
        xs.append(c)
        return tf.add_n(xs)

    @tf.function
    def replace(d, *, e):
        e["a"] = e["a"] * 2
        return d

    @tf.function
    def deep(*xs, **kw):
        xs[0][0]["q"] = 5
        kw["z"].clear()
        return c

    class Model:
        @tf.function
        def call(self, xs):
            xs.pop()
            return c

    @tf.function
    def copied(xs):
        xs = list(xs)
        xs.append(c)
        return tf.add_n(xs)

    show_error(append, [c, c])
    show_error(replace, c, e={"a": c})
    show_error(deep, [{"q": 4}], z=[c])
    show_error(Model().call, [c])
    print(copied([c]).numpy())


@program
def traces_by_value(tf):
    def counts(*values):
        @tf.function
        def f(x):
            return tf.constant(1)

        found = []
        for value in values:
            f(value)
            found.append(f.experimental_get_tracing_count())
        return found

    print(counts(True, 1, 1.0, 1j), counts(0, False), counts("1", b"1"), counts((1, 2.0), (True, 2)))
    print(counts(float("nan"), float("nan")), counts(range(2), range(2), range(3)), counts([1], (1,)))
    print(counts(tf.float32, tf.float32, tf.int32), counts(frozenset([1]), frozenset([1])))
