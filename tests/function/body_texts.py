"""Names inside branches and loops: of the nodes of a function, and of those in the bodies that its GraphDef's library
holds.

TensorFlow's loops have a counter and a limit that Reflow writes only into files, and its `for` over a range computes
the number of iterations; those nodes, constants and the copies that end a body are left out of the lists.
"""

import re

from tests.function.recorded import program, show_error

COUNTING = ("zeros_like", "sub", "floordiv", "mod", "NotEqual", "Cast", "add", "Maximum")


def names(f, *args, left_out=()):
    concrete = f.get_concrete_function(*args)
    kept = [
        op for op in concrete.graph.get_operations() if op.type not in ("Const", "NoOp") and op.name not in left_out
    ]
    print([op.name for op in kept])
    for function in sorted(concrete.graph.as_graph_def().library.function, key=_function_name):
        nodes = [n.name for n in function.node_def if n.op not in ("Const", "Identity", "NoOp")]
        print(" ", _function_name(function), sorted(nodes))


def _function_name(function) -> str:
    return re.sub(r"_\d+$", "", function.signature.name)


@program
def names_in_branches(tf):
    x = tf.TensorSpec([], tf.float32)

    @tf.function
    def statement(x):
        if x > 0:
            y = x * 2.0
        else:
            y = x - 1.0
        return y

    @tf.function
    def named(x, y):
        a = tf.cond(x < y, lambda: tf.add(x, y), lambda: tf.square(y), name="choice")
        b = tf.cond(x < y, lambda: tf.add(x, y), lambda: tf.square(y))
        c = tf.cond(x < y, lambda: x, lambda: y)
        return a + b + c

    @tf.function
    def switched(i, x):
        return tf.switch_case(i, [lambda: x, lambda: x * 2.0, lambda: tf.exp(x)])

    @tf.function
    def cases(x):
        return tf.case([(x < 0.0, lambda: -x), (x > 10.0, lambda: x / 10.0)], default=lambda: x + 1.0)

    @tf.function
    def scoped(x):
        with tf.name_scope("outer"):
            if x > 0.0:
                with tf.name_scope("inner"):
                    x = tf.identity(x, name="mine") + tf.sin(x)
        return x

    names(statement, x)
    names(named, x, x)
    names(switched, tf.TensorSpec([], tf.int32), x)
    names(cases, x)
    names(scoped, x)


@program
def names_in_loops(tf):
    x, n, v = tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.int32), tf.TensorSpec([3], tf.float32)

    @tf.function
    def statement(n):
        i, s = 0, 0.0
        while i < n:
            s += tf.cast(i, tf.float32)
            i += 1
        return s

    @tf.function
    def call(x):
        return tf.while_loop(
            lambda i, a: i < 5, lambda i, a: (i + 1, a * x), [tf.constant(0), tf.constant(1.0)], name="walk"
        )

    @tf.function
    def elements(x):
        s = 0.0
        for v in x:
            if v > 0.0:
                s += v
        return s

    @tf.function
    def nested(x, n):
        for i in tf.range(n):
            if i % 2 == 0:
                x = x + 1.0
            else:
                j = 0
                while j < n:
                    x = tf.sin(x, name="s")
                    j += 1
        return x

    @tf.function
    def indexed(x):
        s = 0.0
        for i in tf.range(3):
            s += x[i]
        return s

    @tf.function
    def scoped(x):
        with tf.name_scope("deep"):
            i = tf.constant(0)
            while i < 3:
                x, i = tf.cos(x), i + 1
        return x

    @tf.function
    def collected(n):
        ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            ta = ta.write(i, tf.cast(i, tf.float32))
        return ta.stack()

    for f, *args in (
        (statement, n),
        (call, x),
        (elements, v),
        (nested, x, n),
        (indexed, v),
        (scoped, x),
        (collected, n),
    ):
        names(f, *args, left_out=COUNTING)


@program
def names_in_messages(tf):
    @tf.function
    def late(x, i):
        if i > 0:
            for _ in tf.range(i):
                x = tf.gather(x, i, name="pick") + x
        return x

    @tf.function
    def refused(x, n):
        while n > 0:
            x = tf.matmul(x, x, name="square")
            n -= 1
        return x

    @tf.function
    def shown(x):
        def body(i, a):
            print(i.name, a.name, (a + x).name, a.graph.name.startswith("while_body"))
            return i + 1, a * 2.0

        print(tf.cond(x > 0.0, lambda: tf.identity(x * 2.0), lambda: x).name)
        return tf.while_loop(lambda i, a: i < 2, body, [0, x])

    show_error(late, tf.range(3), tf.constant(7))
    show_error(refused, tf.ones([2, 3]), tf.constant(2))
    shown(tf.constant(1.0))
