"""Long runs of several devices and several processes: `make stress`.

    python -m tools.stress devices --count 2000     replicas, and a tensor over a mesh, on eight CPUs beside a busy loop
    python -m tools.stress cluster --count 500      closures on two workers, two parameter servers; a worker is killed

Each part prints what it found and ends with status 1 if that is wrong. XLA's exchanges between CPU devices once waited
for ever on machines with few cores: so the first part has eight devices and another process that never rests.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

DEVICES = 8
ROOT = Path(__file__).parent.parent
SERVER = """
import json, sys
import reflow as tf
tf.distribute.Server(json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])).join()
"""


@contextlib.contextmanager
def running(*command: str) -> Iterator[subprocess.Popen]:
    """A process of this Python that is killed at the end."""
    process = subprocess.Popen([sys.executable, *command], env=os.environ | {"PYTHONPATH": str(ROOT)})
    try:
        yield process
    finally:
        process.kill()
        process.wait()


# --- eight devices


def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=[64, 16]).astype(np.float32)
    return x, x.sum(1, keepdims=True), 0.1 * rng.normal(size=[16, 1]).astype(np.float32)


def descend(tf: Any, weights: Any, x: Any, y: Any) -> Any:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((x @ weights - y) ** 2) / 64.0
    weights.assign_sub(0.01 * tape.gradient(loss, weights))
    return loss


def over_a_mesh(tf: Any, steps: int) -> np.ndarray:
    """The weights after training on a mesh: XLA sums gradients between the devices."""
    dtensor = tf.experimental.dtensor
    mesh = dtensor.create_mesh([("batch", DEVICES)], device_type="CPU")
    rows, whole = dtensor.Layout.batch_sharded(mesh, "batch", 2), dtensor.Layout.replicated(mesh, 2)
    x, y, start = data()
    weights, x, y = dtensor.DVariable(start, layout=whole), dtensor.relayout(x, rows), dtensor.relayout(y, rows)
    step = tf.function(lambda: descend(tf, weights, x, y))
    for _ in range(steps):
        step()
    return np.asarray(dtensor.unpack(weights.read_value())[0])


def as_replicas(tf: Any, steps: int) -> np.ndarray:
    """The weights after training by `MirroredStrategy`."""
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(DEVICES)])
    x, y, start = data()
    with strategy.scope():
        weights = tf.Variable(start, aggregation=tf.VariableAggregation.SUM)
    batch = next(iter(strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensors((x, y)))))
    step = tf.function(lambda x, y: strategy.run(lambda x, y: descend(tf, weights, x, y), args=(x, y)))
    for _ in range(steps):
        step(*batch)
    return np.asarray(weights)


def alone(tf: Any, steps: int) -> np.ndarray:
    x, y, start = data()
    weights = tf.Variable(start)
    step = tf.function(lambda: descend(tf, weights, tf.constant(x), tf.constant(y)))
    for _ in range(steps):
        step()
    return np.asarray(weights)


def devices(steps: int) -> bool:
    import reflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * DEVICES)
    good = True
    with running("-c", "while True: pass"):
        results: dict[str, np.ndarray] = {}
        for run in (over_a_mesh, as_replicas, alone):
            start = time.perf_counter()
            results[run.__name__] = run(tf, steps)
            print(f"{run.__name__}: {steps} steps, {time.perf_counter() - start:.1f} s", flush=True)
    for name in ("over_a_mesh", "as_replicas"):
        apart = float(np.abs(results[name] - results["alone"]).max())
        print(f"{name}: {'equal to' if apart < 1e-4 else f'{apart} from'} one device")
        good = good and apart < 1e-4
    return good


# --- five processes


def cluster(closures: int) -> bool:
    """Count closures in variables on both servers while a worker is killed and started again."""
    import json

    import reflow as tf
    from reflow.distribute.server import free_addresses

    addresses = free_addresses(4)
    spec = {"worker": addresses[:2], "ps": addresses[2:]}
    server: Callable[[str, int], Any] = lambda job, i: running("-c", SERVER, json.dumps(spec), job, str(i))
    with contextlib.ExitStack() as processes:
        for i in range(2):
            processes.enter_context(server("ps", i))
        processes.enter_context(server("worker", 0))
        mortal = processes.enter_context(server("worker", 1))
        strategy = tf.distribute.ParameterServerStrategy(
            tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(spec), rpc_layer="grpc")
        )
        with strategy.scope():
            totals = [tf.Variable(0.0), tf.Variable(0.0)]  # one on each server
        coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)

        @tf.function
        def step(number: Any) -> Any:
            for total in totals:
                total.assign_add(1.0)
            return number

        start = time.perf_counter()
        results = []
        for i in range(closures):
            if i == closures // 3:
                mortal.kill()
                mortal.wait()
            if i == 2 * closures // 3:
                processes.enter_context(server("worker", 1))
            results.append(coordinator.schedule(step, args=(tf.constant(i),)))
        coordinator.join()
        done = sorted(int(r) for r in coordinator.fetch(results))
        counted = [float(total.numpy()) for total in totals]
    # The closure that the killed worker ran may have counted before it died: TensorFlow promises each at least once.
    good = done == list(range(closures)) and all(closures <= c <= closures + 1 for c in counted)
    print(f"{len(done)} of {closures} closures done, counted {counted}, {time.perf_counter() - start:.1f} s")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("part", choices=["devices", "cluster"])
    parser.add_argument("--count", type=int, required=True, help="steps, or closures")
    arguments = parser.parse_args()
    return 0 if {"devices": devices, "cluster": cluster}[arguments.part](arguments.count) else 1


if __name__ == "__main__":
    sys.exit(main())
