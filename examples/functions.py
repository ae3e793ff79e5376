"""`tf.function` and AutoGraph: what is traced, when, and what becomes of Python's `if`, `while` and `print`.

    python -m reflow examples/functions.py

Each part is a small quiz. Guess what it prints, then run it.
"""

import tensorflow as tf


@tf.function
def double(x):
    print(f"  tracing for {x}")  # Python: happens when the function is traced
    tf.print("  running for", x)  # TensorFlow: happens at every call
    return x * 2


def quiz_traces():
    """Tensors of equal dtype and shape share one trace. Python numbers are part of the signature: each has its own."""
    print("1. How often is it traced?")
    for value in (tf.constant(1), tf.constant(2), tf.constant(1.0), 1, 2):
        double(value)
    print(f"  {double.experimental_get_tracing_count()} traces for 5 calls")


@tf.function
def collatz_steps(n):
    """AutoGraph turns `while` and `if` on tensors into `tf.while_loop` and `tf.cond`."""
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def quiz_control_flow():
    print("2. Python's control flow on tensors")
    for start in (6, 27):
        print(f"  {start} reaches 1 in {collatz_steps(tf.constant(start)).numpy()} steps")
    print(f"  one trace for both: {collatz_steps.experimental_get_tracing_count() == 1}")


@tf.function
def running_sums(values):
    """A list cannot grow inside a traced loop. A `TensorArray` can; what `write` returns must be kept."""
    sums = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    total = 0.0
    for i in tf.range(tf.shape(values)[0]):
        total += values[i]
        sums = sums.write(i, total)
    return sums.stack()


class Counter(tf.Module):
    """State lives in variables that are made once. A variable made inside the function would be made at every trace."""

    def __init__(self):
        self.count = tf.Variable(0)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def add(self, amount):
        return self.count.assign_add(amount)


def quiz_state():
    print("3. State")
    print(f"  running sums of 1, 2, 3: {running_sums(tf.constant([1.0, 2.0, 3.0])).numpy().tolist()}")
    counter = Counter()
    counter.add(2)
    print(f"  a counter after adding 2 and 3: {counter.add(3).numpy()}")


if __name__ == "__main__":
    quiz_traces()
    quiz_control_flow()
    quiz_state()
    code = tf.autograph.to_code(collatz_steps.python_function)
    print(f"4. AutoGraph rewrote collatz_steps: {'ag__.while_stmt' in code}")
