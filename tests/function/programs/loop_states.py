"""Loops and branches with states of all kinds: data classes, named tuples, enums, nested structures, handlers; gradients of
gradients where the number of steps depends on the data."""

import collections
import dataclasses
import enum
import typing

import numpy as np
import tensorflow as tf

C = tf.constant


def plain(x):
    x = x.numpy() if hasattr(x, "numpy") else x
    if isinstance(x, (float, np.floating)):
        return round(float(x) + 1e-4, 2)
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        return np.round(x.astype(np.float64) + 1e-4, 2).tolist()
    return x.tolist() if hasattr(x, "tolist") else x


def show(f, *args, **kwargs):
    try:
        print(tf.nest.map_structure(plain, f(*args, **kwargs)))
    except ValueError as error:
        print([line for line in str(error).splitlines() if line][-1].strip())


def gg(f, *xs):
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as inner:
            inner.watch(xs)
            y = f(*xs)
        g = inner.gradient(y, xs)
        s = tf.add_n([tf.reduce_sum(v * v) for v in g])
    return y, g, outer.gradient(s, xs)


# data-dependent trip counts
@tf.function
def newton(a):
    x = a
    for _ in tf.range(20):
        nx = 0.5 * (x + a / x)
        if tf.abs(nx - x) < 1e-6:
            break
        x = nx
    return x


show(gg, newton, C(2.0))
show(gg, newton, C(9.0))


@tf.function
def collatz_grad(x, n):
    while n != 1:
        if n % 2 == 0:
            n = n // 2
            x = x * 1.1
        else:
            n = 3 * n + 1
            x = tf.sin(x) + x
    return x


show(gg, lambda x: collatz_grad(x, C(7)), C(0.5))
show(gg, lambda x: collatz_grad(x, C(1)), C(0.5))


@tf.function
def nested_break(x):
    t = 0.0
    for i in tf.range(5):
        for j in tf.range(5):
            if tf.cast(i * j, tf.float32) > x:
                break
            t += x * tf.cast(i + j, tf.float32)
        else_ = t
        if else_ > 30.0:
            break
    return t


show(gg, nested_break, C(2.0))


@tf.function
def continue_grad(x):
    s = tf.zeros_like(x)
    for i in tf.range(tf.size(x)):
        if x[i] < 0:
            continue
        s += x * x[i] ** 2
    return s


show(gg, continue_grad, C([1.0, -2.0, 3.0]))


@tf.function
def scan_like(xs, w):
    h = tf.zeros([2])
    out = tf.TensorArray(tf.float32, tf.shape(xs)[0])
    for t in tf.range(tf.shape(xs)[0]):
        h = tf.tanh(tf.linalg.matvec(w, h) + xs[t])
        out = out.write(t, h)
    return tf.reduce_sum(out.stack() ** 2)


show(gg, scan_like, C([[1.0, 2.0], [0.5, -1.0], [0.1, 0.2]]), C([[0.5, 0.1], [-0.3, 0.8]]))


@dataclasses.dataclass
class St:
    a: typing.Any
    b: typing.Any


@tf.function
def dc(n):
    s = St(0, 1)
    for i in tf.range(n):
        s.a += i
        s.b = s.b * 2
    return s.a, s.b


show(dc, C(4))


class Mode(enum.Enum):
    A = 1
    B = 2


@tf.function
def em(x, mode):
    if mode == Mode.A:
        return x
    elif mode is Mode.B:
        if x > 0:
            return x * 2
        return x * 3
    return x * 0


show(em, C(2), Mode.A)
show(em, C(2), Mode.B)
show(em, C(-2), Mode.B)
P = collections.namedtuple("P", "x y")


@tf.function
def nt(n):
    p = P(0, 0.0)
    for i in tf.range(n):
        p = p._replace(x=p.x + 1)
        if p.x > 2:
            p = P(p.x, p.y + 1.0)
    return p


show(nt, C(4))


@tf.function
def ddict(n):
    d = collections.defaultdict(int)
    od = collections.OrderedDict(a=0, b=1)
    for i in tf.range(n):
        od["a"] += i
    d["q"] += 1
    return dict(d), od


show(ddict, C(3))


@tf.function
def deep(n):
    s = {"l": [0, (1, {"z": 2.0})]}
    for i in tf.range(n):
        s = {"l": [s["l"][0] + i, (s["l"][1][0], {"z": s["l"][1][1]["z"] * 2.0})]}
    return s


show(deep, C(3))


@tf.function
def lists(x):
    out = []
    for i in range(3):
        if x > i:
            v = x * i
        else:
            v = -x
        out.append(v)
    return out, tf.stack(out)


show(lists, C(2))


@tf.function
def dict_in_branch(x):
    d = {}
    if x > 0:
        d = {"a": x}
    else:
        d = {"a": -x}
    return d


show(dict_in_branch, C(3))


@tf.function
def early(x, training=None):
    if training is None:
        training = True
    if not training:
        return x
    if tf.reduce_sum(x) > 0:
        x = x * 2
    return x


show(early, C([1.0]))
show(early, C([1.0]), training=False)
show(early, C([1.0]), training=C(True))
show(early, C([-1.0]), C(False))


@tf.function
def cond_on_python_or_tensor(x, n):
    if n > 3 and x > 0:
        return 1
    if n < 2 or x < 0:
        return 2
    return 3


show(cond_on_python_or_tensor, C(1), 5)
show(cond_on_python_or_tensor, C(1), 3)
show(cond_on_python_or_tensor, C(-1), 5)
show(cond_on_python_or_tensor, 1, C(1))


@tf.function
def lam(x):
    f = lambda v: v if v > 0 else -v
    g = lambda v, *a, k=2, **kw: f(v) * k + sum(a)
    return g(x, 1, 2, k=3), [f(v) for v in [x, x - 10]]


show(lam, C(4))


@tf.function
def try_loop(x):
    for i in tf.range(3):
        try:
            x = x + i
        finally:
            x = x * 2
    return x


show(try_loop, C(1))


@tf.function
def try_except_as(x):
    try:
        tf.reshape(x, [7])
    except ValueError as err:
        if x[0] > 0:
            return len(str(err)) > 0, x * 2
    except (TypeError, KeyError) as other:
        return str(other), x
    else:
        return False, x
    return True, x


show(try_except_as, C([1, 2]))
show(try_except_as, C([1, 2, 3, 4, 5, 6, 7]))


@tf.function
def except_then_use(x):
    y = 0
    try:
        raise KeyError("a")
    except KeyError as e:
        y = len(e.args)
    for i in tf.range(x):
        y += i
    return y


show(except_then_use, C(4))


@tf.function
def with_loop(x):
    with tf.name_scope("a"):
        for i in tf.range(3):
            with tf.name_scope("b"):
                if i > 1:
                    break
                x += i
    return x


show(with_loop, C(1))


@tf.function
def kwonly(*, x, y=2):
    if x > y:
        x, y = y, x
    return x, y


show(kwonly, x=C(3))
show(kwonly, x=C(1), y=C(0))


@tf.function
def while_nested_fn(n):
    def cond(i):
        return i < n

    def body(i):
        if i > 2:
            return i + 2
        return i + 1

    i = 0
    while cond(i):
        i = body(i)
    return i


show(while_nested_fn, C(6))


@tf.function
def shadow(range_, x):
    len = 3
    for i in tf.range(len):
        x += i
    return x


show(shadow, 1, C(1))


@tf.function
def del_in_loop(n):
    s = 0
    for i in tf.range(n):
        t = i * 2
        s += t
        del t
    return s


show(del_in_loop, C(3))


@tf.function
def global_np(n):
    a = np.zeros(3)
    a[1] = 5
    s = 0.0
    for v in a:
        s += v
    for i in tf.range(n):
        s += 1.0
    return s


show(global_np, C(2))


@tf.function
def str_loop(n):
    s = tf.constant("")
    for i in tf.range(n):
        s = tf.strings.join([s, tf.strings.as_string(i)])
    return s


show(str_loop, C(4))


@tf.function
def two_while(x):
    i = 0
    while i < 3 and x > 0:
        x -= 1
        i += 1
    while x < 10 or i < 0:
        x += 3
    return x, i


show(two_while, C(2))
show(two_while, C(50))


@tf.function
def mutual(x):
    a, b = x, x + 1
    for _ in tf.range(3):
        a, b = b, a + b
    return a, b


show(mutual, C(1))


@tf.function
def loop_unused(n):
    for _ in tf.range(n):
        tf.print("x", output_stream="file:///dev/null")
    return n


show(loop_unused, C(2))
