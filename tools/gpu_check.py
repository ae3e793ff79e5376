"""What runs on a machine with a GPU: versions, devices, and the mechanisms' tests under this JAX. Prints a report for
docs/gpu.md."""

import subprocess
import sys
import time

import jax

print("python", sys.version.split()[0], "jax", jax.__version__, "devices", jax.devices())
start = time.perf_counter()
import reflow as tf  # noqa: E402

print(f"import reflow: {time.perf_counter() - start:.2f} s")
print("physical:", tf.config.list_physical_devices())
x = tf.random.stateless_uniform([512, 512], [1, 2])
print("eager sum:", float(tf.reduce_sum(x)))
w = tf.Variable(x)


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    w.assign_sub(0.01 * tape.gradient(loss, w))
    return loss


losses = [float(step(x)) for _ in range(5)]
print("losses:", losses)
print("buffer on:", getattr(w.handle._value.cell.buf, "devices", lambda: "host")())
for _ in range(3):
    start = time.perf_counter()
    for _ in range(200):
        loss = step(x)
    float(loss)
    print(f"step 512x512: {(time.perf_counter() - start) / 200 * 1e6:.0f} µs")
sys.stdout.flush()
tests = sys.argv[1:] or ["tests/mechanisms"]
sys.exit(
    subprocess.call([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-x", "--maxfail=15", *tests])
)
