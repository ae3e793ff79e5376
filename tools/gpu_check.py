"""What runs on a machine with a GPU: placement, memory settings, speed. Prints the report of docs/gpu.md.

Device settings hold from the start of the runtime on, so each section runs in a process of its own:

    python tools/gpu_check.py                       # the sections
    python tools/gpu_check.py tests/mechanisms ...  # and these tests afterwards, with a GPU in the machine
"""

import os
import subprocess
import sys
import textwrap
import time

HEAD = """
import time
import numpy as np
import reflow as tf
import subprocess

def used():
    "MiB that the driver counts for this process (of all processes, where it does not tell them apart)."
    ask = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    return int(subprocess.run(ask, capture_output=True, text=True, check=True).stdout.split()[0])

def stats():
    import jax
    found = jax.devices("gpu")[0].memory_stats()
    wanted = "bytes_limit", "pool_bytes", "bytes_in_use", "peak_bytes_in_use"
    return {k: round(found[k] / 2**20) for k in wanted if k in found}

def timed(function, repeat=5, number=50):
    function()
    best = []
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(number):
            out = function()
        np.asarray(out)
        best.append((time.perf_counter() - start) / number)
    return f"{min(best) * 1e6:.0f} µs"
"""

SECTIONS = {
    "devices and placement (the programs of seed 000)": """
        import jax, sys
        print("python", sys.version.split()[0], "jax", jax.__version__)
        print(tf.config.list_physical_devices())
        print(tf.config.experimental.get_device_details(tf.config.list_physical_devices("GPU")[0]))
        sys.stdout.flush(); sys.stderr = sys.stdout
        tf.debugging.set_log_device_placement(True)
        a = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        b = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        c = tf.matmul(a, b)
        print(a.device, b.device, c.device, type(c._value).__name__, c._value.devices())
        with tf.device("/CPU:0"):
            print(tf.matmul(a, b).device)
        v = tf.Variable(a)
        v.assign_add(a)
        print(v.device, v.handle._value.cell.buf.devices())
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.tanh(v))
        print(tape.gradient(y, v).device)
        n = tf.constant([1, 2]) + 1
        print("int32:", n.device, "backed by", n.backing_device)
        print("strings:", tf.strings.as_string(c).device)
        f = tf.function(lambda x: x @ b)
        print("function:", f(a).device)

        def spread(x):
            with tf.device("/CPU:0"):
                here = x * 2.0
            return here, tf.tanh(here)

        print("function over two devices:", [t.device for t in tf.function(spread, autograph=False)(c)])
        print("copies:", a.gpu().device, c.cpu().device)
        tf.config.set_soft_device_placement(False)
        try:
            with tf.device("/GPU:1"):
                tf.matmul(a, b)
        except tf.errors.InvalidArgumentError as error:
            print("InvalidArgumentError:", error)
        print(c.numpy().tolist())
    """,
    "memory: by default nearly all is taken": """
        tf.tanh(tf.ones([1000, 1000])).numpy()
        print("MiB:", stats(), "driver:", used())
    """,
    "memory: growth": """
        for gpu in tf.config.list_physical_devices("GPU"):
            tf.config.experimental.set_memory_growth(gpu, True)
        tf.tanh(tf.ones([1000, 1000])).numpy()
        print("MiB:", stats(), "driver:", used())
        big = tf.tanh(tf.ones([1 << 28]))
        big.numpy()
        print("with 1 GiB more:", stats(), "driver:", used())
        print(tf.config.experimental.get_memory_info("GPU:0"))
        del big
        tf.config.experimental.reset_memory_stats("GPU:0")
        print(tf.config.experimental.get_memory_info("GPU:0"))
        try:
            tf.config.experimental.set_memory_growth(tf.config.list_physical_devices("GPU")[0], False)
        except RuntimeError as error:
            print("RuntimeError:", error)
    """,
    "memory: TF_FORCE_GPU_ALLOW_GROWTH=true": """
        tf.tanh(tf.ones([1000, 1000])).numpy()
        print("MiB:", stats(), "driver:", used())
    """,
    "memory: a limit of 1,024 MiB": """
        gpus = tf.config.list_physical_devices("GPU")
        tf.config.set_logical_device_configuration(gpus[0], [tf.config.LogicalDeviceConfiguration(memory_limit=1024)])
        print(tf.config.list_logical_devices("GPU"))
        tf.tanh(tf.ones([1000, 1000])).numpy()
        print("MiB:", stats(), "driver:", used())
        try:
            tf.tanh(tf.ones([1 << 27]) + 1.0).numpy()  # two arrays of 512 MiB
        except tf.errors.ResourceExhaustedError as error:
            print("ResourceExhaustedError:", str(error)[:110])
    """,
    "several logical devices on one GPU": """
        gpus = tf.config.list_physical_devices("GPU")
        half = tf.config.LogicalDeviceConfiguration(memory_limit=2048)
        tf.config.set_logical_device_configuration(gpus[0], [half] * 2)
        print(tf.config.list_logical_devices("GPU"))
        for i in range(2):
            with tf.device(f"/GPU:{i}"):
                x = tf.tanh(tf.Variable([1.0]))
                print(x.device, x._value.devices())
        print("MiB:", stats())
    """,
    "no visible GPU": """
        tf.config.set_visible_devices([], "GPU")
        print(tf.config.list_logical_devices())
        print(tf.tanh(tf.constant([1.0])).device, tf.function(lambda x: x + 1.0)(1.0).device, "driver:", used(), "MiB")
    """,
    "CUDA_VISIBLE_DEVICES=-1": """
        print(tf.config.list_physical_devices(), tf.tanh(tf.constant([1.0])).device)
    """,
    "speed": """
        small = tf.tanh(tf.random.stateless_uniform([10, 10], [1, 2]))
        large = tf.tanh(tf.random.stateless_uniform([4096, 4096], [1, 2]))
        host = tf.constant(np.ones([10, 10], np.float32))
        import jax
        plain, array = jax.jit(lambda x: x + x), small._value
        print("(jax.jit of x + x, 10x10, for comparison:", timed(lambda: plain(array)) + ")")
        print("eager a + a, 10x10:", timed(lambda: small + small))
        print("eager a + 1.0, 10x10:", timed(lambda: small + 1.0))
        print("eager host + host, 10x10:", timed(lambda: host + host))
        print("eager matmul, 10x10:", timed(lambda: small @ small))
        print("eager matmul, 4096x4096:", timed(lambda: large @ large))
        print("eager slice x[i]:", timed(lambda: large[7]))
        with tf.device("/CPU:0"):
            print("eager a + a, 10x10, on the CPU:", timed(lambda: host + host))
            here = tf.constant(large.numpy())
            print("eager matmul, 4096x4096, on the CPU:", timed(lambda: here @ here, 2, 1))
    """,
    "a training step: eager, compiled, and on the CPU": """
        def train(compiled, steps=100):
            tf.random.set_seed(1)
            generator = np.random.default_rng(0)
            x = tf.constant(generator.normal(size=(256, 512)).astype(np.float32))
            y = tf.constant(generator.normal(size=(256, 10)).astype(np.float32))
            shapes = (512, 512), (512, 512), (512, 10)
            w = [tf.Variable((generator.normal(size=s) / 20).astype(np.float32)) for s in shapes]

            def step():
                with tf.GradientTape() as tape:
                    h = x
                    for v in w[:-1]:
                        h = tf.nn.relu(h @ v)
                    loss = tf.reduce_mean(tf.square(h @ w[-1] - y))
                for v, g in zip(w, tape.gradient(loss, w)):
                    v.assign_sub(0.01 * g)
                return loss

            if compiled:
                step = tf.function(step, autograph=False)
            losses = [step() for _ in range(3)]
            values = [float(t) for t in losses]
            start = time.perf_counter()
            for _ in range(steps):
                loss = step()
            float(loss)
            return values, losses[0].device[-5:], w[0].device[-5:], (time.perf_counter() - start) / steps

        tf.config.experimental.enable_tensor_float_32_execution(False)
        with tf.device("/CPU:0"):
            expected, *where, seconds = train(False, 10)
        print("eager, CPU:", expected, *where, f"{seconds * 1e6:.0f} µs a step")
        for exact in (True, False):
            tf.config.experimental.enable_tensor_float_32_execution(not exact)
            for compiled in (False, True):
                got, *where, seconds = train(compiled)
                print("compiled" if compiled else "eager", "float32" if exact else "TensorFloat-32", got, *where,
                      f"{seconds * 1e6:.0f} µs a step; furthest from the CPU:",
                      f"{max(abs(a - b) / b for a, b in zip(got, expected)):.1e}")
                if exact:
                    np.testing.assert_allclose(got, expected, rtol=1e-5)
    """,
    "Keras: fit on the GPU": """
        import keras
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.layers.Input((28, 28, 1)), keras.layers.Conv2D(16, 3, activation="relu"),
                                  keras.layers.MaxPooling2D(), keras.layers.Flatten(), keras.layers.Dense(10)])
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
        print("variables on", {v.value.device[-5:] for v in model.variables if v.dtype == "float32"})
        x = np.random.default_rng(0).random((512, 28, 28, 1), np.float32)
        history = model.fit(x, (x.sum((1, 2, 3)) * 10).astype(int) % 10, batch_size=64, epochs=3, verbose=0).history
        print("losses", [round(v, 4) for v in history["loss"]])
    """,
}
ENVIRONMENT = {
    "memory: TF_FORCE_GPU_ALLOW_GROWTH=true": {"TF_FORCE_GPU_ALLOW_GROWTH": "true"},
    "CUDA_VISIBLE_DEVICES=-1": {"CUDA_VISIBLE_DEVICES": "-1"},
}


def main(tests):
    failed = 0
    for title, program in SECTIONS.items():
        print(f"--- {title}", flush=True)
        start = time.perf_counter()
        code = HEAD + textwrap.dedent(program)
        done = subprocess.run(
            [sys.executable, "-m", "reflow", "-c", code], env=os.environ | ENVIRONMENT.get(title, {}), check=False
        )
        failed += done.returncode != 0
        print(f"({time.perf_counter() - start:.0f} s)", "FAILED" if done.returncode else "", flush=True)
    if tests:
        failed += subprocess.call(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--maxfail=40", *tests]
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
