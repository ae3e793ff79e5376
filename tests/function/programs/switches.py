"""switch_case, case, cond with nests, early returns, chained comparisons, and/or/not on tensors."""
import tensorflow as tf


@tf.function
def activation(kind, x):
    return tf.switch_case(
        kind,
        {0: lambda: tf.nn.relu(x), 1: lambda: tf.tanh(x), 2: lambda: -x},
        default=lambda: x,
    )


for k in (0, 1, 2, 7, -1):
    print(round(float(activation(tf.constant(k), tf.constant(-0.5))), 4), end=" ")
print()


@tf.function
def fizzbuzz(n):
    for i in tf.range(1, n + 1):
        if i % 15 == 0:
            tf.print("FizzBuzz")
        elif i % 3 == 0:
            tf.print("Fizz")
        else:
            pass
    msg = tf.constant("")
    for i in tf.range(n):
        msg = tf.strings.join([msg, tf.strings.as_string(i)])
    return msg


print(fizzbuzz(tf.constant(4)))


@tf.function
def grade(score):
    if score < 0 or score > 100:
        return "invalid"
    if 90 <= score <= 100:
        return "A"
    elif not score < 50 and score != 77:
        return "B"
    return "C"


print([grade(tf.constant(s)).numpy().decode() for s in (-5, 95, 60, 77, 10)])


@tf.function
def nested(x, flag):
    out = {"value": x, "seen": tf.constant(False)}
    if flag:
        out["value"] = x * 2
        out["seen"] = tf.constant(True)
    return out


r = nested(tf.constant(3), tf.constant(True))
print({k: v.numpy().item() for k, v in sorted(r.items())})


@tf.function
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
        if steps > 1000:
            break
    return steps


print(int(collatz(tf.constant(27))))


@tf.function
def lazy(x):
    return tf.cond(x > 0, lambda: (x, [x + 1]), lambda: (-x, [x - 1]))


print([t.numpy().item() for t in tf.nest.flatten(lazy(tf.constant(-4)))])


@tf.function
def undefined(x):
    if x > 0:
        y = x
    return y


try:
    undefined(tf.constant(1))
except Exception as e:
    print(type(e).__name__, "'y' must also be initialized" in str(e))
