"""Python state while tracing: closures over changing values, counters, lists, factories, recursion in Python."""
import tensorflow as tf

calls = []
factor = 2


@tf.function
def scaled(x):
    calls.append(x.dtype.name)
    return x * factor


print(int(scaled(tf.constant(3))))
factor = 10
print(int(scaled(tf.constant(3))), calls)
print(float(scaled(tf.constant(3.0))), calls)


def make_counter():
    v = None

    @tf.function
    def count():
        nonlocal v
        if v is None:
            v = tf.Variable(0)
        return v.assign_add(1)

    return count


a, b = make_counter(), make_counter()
print(int(a()), int(a()), int(b()))


@tf.function
def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)


print(int(fact(5)), fact.experimental_get_tracing_count())
fs = [tf.function(lambda x, i=i: x + i) for i in range(3)]
print([int(f(tf.constant(10))) for f in fs])
late = [tf.function(lambda x: x + i) for i in range(3)]
print([int(f(tf.constant(10))) for f in late])


@tf.function
def leak(x):
    global leaked
    leaked = x + 1
    return x


leak(tf.constant(1))
try:
    print(leaked + 1)
except Exception as e:
    print(isinstance(e, TypeError), "out of scope" in str(e))


@tf.function
def build_list(x):
    out = []
    for i in range(3):
        out.append(x * i)
    squares = [o**2 for o in out]
    d = {str(i): s for i, s in enumerate(squares)}
    return tf.stack(squares), d


s, d = build_list(tf.constant(2))
print(s.numpy(), {k: int(v) for k, v in d.items()})


@tf.function
def once(x):
    print("python print")
    tf.print("graph print", x)
    return x


once(tf.constant(1))
once(tf.constant(2))
once(3)
once(4)
