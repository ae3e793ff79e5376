"""The attack by faults: what is running is killed, interrupted, forked, run by many threads, or finds no room on the
disk.

Each *fault* is a function that raises if it did harm, and returns how often it struck. Each runs in a process of its
own.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tools.attack.children import ENVIRONMENT, ROOT

# --- kills ------------------------------------------------------------------------------------------------------------

SAVER = """
import itertools, sys
import reflow as tf
a, b = tf.Variable(tf.zeros([3000])), tf.Variable(0)
checkpoint = tf.train.Checkpoint(a=a, b=b)
print("ready", flush=True)
for i in itertools.count(int(sys.argv[2])):
    a.assign(tf.fill([3000], float(i))); b.assign(i)
    checkpoint.write(sys.argv[1])
"""


def kills(count: int, draw: np.random.Generator, folder: Path) -> int:
    """A process that saves without pause is killed.

    What is on disk is always one whole checkpoint, and never an older one.
    """
    import reflow as tf

    prefix, last = str(folder / "ckpt"), -1
    for _ in range(count):
        command = [sys.executable, "-c", SAVER, prefix, str(last + 1)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env={**os.environ, **ENVIRONMENT})
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(float(draw.uniform(0.0, 0.05)))
        child.kill()
        child.wait()
        child.stdout.close()
        if os.path.exists(prefix + ".index"):
            reader = tf.train.load_checkpoint(prefix)
            found = int(reader.get_tensor("b/.ATTRIBUTES/VARIABLE_VALUE"))
            assert (reader.get_tensor("a/.ATTRIBUTES/VARIABLE_VALUE") == found).all(), "torn"
            assert found >= last, f"lost: {found} after {last}"
            last = found
    return count


# --- disks ------------------------------------------------------------------------------------------------------------


def _writers(folder: Path) -> dict[str, Callable[[], Any]]:
    """All that writes files, each to a file that holds something good.

    Not `.weights.h5`: h5py crashes when a write fails, without us too.
    """
    import reflow as tf

    state = tf.train.Checkpoint(a=tf.Variable(tf.ones([5000])))
    model = tf.keras.Sequential([tf.keras.Input([30]), tf.keras.layers.Dense(100)])
    module = tf.Module()
    module.a = tf.Variable(tf.ones([5000]))

    def records(kind: str) -> None:
        with tf.io.TFRecordWriter(str(folder / f"x{kind}.tfrecord"), kind) as writer:
            for _ in range(50):
                writer.write(np.random.default_rng(0).bytes(500))

    def events() -> None:
        with tf.summary.create_file_writer(str(folder / "logs")).as_default():
            tf.summary.image("x", np.random.default_rng(0).random((1, 60, 60, 3)), step=0)
            tf.summary.flush()

    return {
        "write_file": lambda: tf.io.write_file(str(folder / "x.txt"), "abc" * 10_000),
        "records": lambda: records(""),
        "records, gzip": lambda: records("GZIP"),
        "checkpoint": lambda: state.write(str(folder / "ckpt")),
        "manager": lambda: tf.train.CheckpointManager(state, str(folder / "managed"), 2).save(),
        "saved model": lambda: tf.saved_model.save(module, str(folder / "model")),
        "keras": lambda: model.save(folder / "x.keras"),
        "keras, HDF5": lambda: model.save(folder / "x.h5"),
        "dataset": lambda: tf.data.Dataset.range(5000).save(str(folder / "data")),
        "events": events,
    }


def full_disks(count: int, draw: np.random.Generator, folder: Path) -> int:
    """Every writer meets the end of the disk at a random byte.

    An error of TensorFlow's that names a file, and the old file is as it was.
    """
    import reflow as tf

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails instead
    writers, struck = _writers(folder), 0
    for write in writers.values():
        write()
    for _ in range(max(1, count // len(writers))):
        for name, write in writers.items():
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(draw.integers(0, 20_000)), resource.RLIM_INFINITY))
            try:
                write()
            except (tf.errors.OpError, OSError, ValueError) as error:
                own = isinstance(error, tf.errors.OpError) and str(folder) in str(error)
                assert own, f"{name}: {type(error).__name__}: {error}"
                struck += 1
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        tf.train.load_checkpoint(str(folder / "ckpt")).get_tensor("a/.ATTRIBUTES/VARIABLE_VALUE")
        tf.saved_model.load(str(folder / "model"))
        tf.keras.models.load_model(folder / "x.keras")
        tf.keras.models.load_model(folder / "x.h5")
    return struck


def read_only(count: int, draw: np.random.Generator, folder: Path) -> int:
    """A folder that became read-only: the error names it.
    (The administrator writes everywhere, and sees nothing of this.)"""
    import reflow as tf

    if os.geteuid() == 0:
        return 0
    writers = _writers(folder)
    os.chmod(folder, 0o555)
    try:
        for name, write in writers.items():
            try:
                write()
            except (tf.errors.OpError, OSError) as error:
                assert str(folder) in str(error), f"{name}: {error}"
                continue
            raise AssertionError(f"{name} wrote into a read-only folder")
    finally:
        os.chmod(folder, 0o755)
    return len(writers)


# --- interrupts -------------------------------------------------------------------------------------------------------


def interrupts(count: int, draw: np.random.Generator, folder: Path) -> int:
    """Ctrl-C at random moments of eager code, training, reading and saving.

    No scope stays open, no variable is torn.
    """
    import reflow as tf
    from tests.interrupts import storm

    x, y = np.ones([64, 3], np.float32), np.ones([64, 1], np.float32)
    weight = tf.Variable(tf.ones([3, 3]))
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    state = tf.train.Checkpoint(w=weight)
    state.write(str(folder / "ckpt"))

    def gradient() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(weight @ weight))
        weight.assign_sub(1e-3 * tape.gradient(loss, weight))

    def saved() -> None:
        tf.train.load_checkpoint(str(folder / "ckpt")).get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE")

    steps: dict[str, tuple[Callable[[], Any], Callable[[], Any], float]] = {
        "eager": (gradient, lambda: weight.numpy(), 2e-3),
        "fit": (lambda: model.fit(x, y, batch_size=16, verbose=0), lambda: model.get_weights(), 0.05),
        "dataset": (
            lambda: list(tf.data.Dataset.range(50).map(lambda n: n * 2).batch(4).prefetch(2)), lambda: None, 0.02
        ),
        "saving": (lambda: state.write(str(folder / "ckpt")), saved, 0.02),
    }
    hits = 0
    for step, check, longest in steps.values():
        step()
        hits += storm(step, check, count // len(steps), longest)
    return hits


# --- processes and threads --------------------------------------------------------------------------------------------


def forks(count: int, draw: np.random.Generator, folder: Path) -> int:
    """Children forked while compiled functions run in other threads: each computes, or raises at once.

    Not while the first of them is imported: a child would wait for ever for the thread that holds Python's lock of a
    module.
    """
    import reflow as tf

    function, stop = tf.function(lambda x: tf.reduce_sum(x @ x)), threading.Event()
    x = tf.ones([32, 32])
    for _ in range(3):
        function(x)

    def work() -> None:
        while not stop.is_set():
            function(x)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(count):
            child = os.fork()
            if child == 0:
                faulthandler.register(signal.SIGALRM, chain=True)  # one that hangs says where
                signal.alarm(20)
                os._exit(
                    0 if float(function(x)) == 32768.0 and len(list(tf.data.Dataset.range(5).batch(2))) == 3 else 1
                )
            status = os.waitpid(child, 0)[1]
            assert status == 0, f"a forked child ended with {status}"
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    return count


def many_threads(count: int, draw: np.random.Generator, folder: Path) -> int:
    """Threads that trace, call and write variables at the same time: nothing is lost, nothing raises."""
    import reflow as tf

    total, each, failed = tf.Variable(0), max(1, count // 8), []

    @tf.function
    def add(x: Any) -> Any:
        return total.assign_add(tf.cast(tf.size(x) * 0 + 1, tf.int32))

    def work(number: int) -> None:
        try:
            for i in range(each):
                add(tf.ones([1 + (i + number) % 5]))  # new shapes are traced by several at once
                with tf.GradientTape() as tape:
                    z = tf.Variable(float(i))
                    y = z * z
                assert float(tape.gradient(y, z)) == 2.0 * i
        except BaseException as error:  # noqa: BLE001 - shown by the main thread
            failed.append(repr(error))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed[:3]
    assert int(total) == 8 * each, f"{int(total)} of {8 * each} additions"
    return 8 * each


FAULTS = {f.__name__: f for f in (kills, full_disks, read_only, interrupts, forks, many_threads)}
#: how often each strikes, for `--count 5000`
SHARE = {"kills": 0.005, "full_disks": 0.02, "read_only": 0.002, "interrupts": 0.2, "forks": 0.01, "many_threads": 0.2}
SECONDS, SECONDS_EACH = 600.0, 4.0  # that a fault may take: a kill begins with the start of a process


def attack(folder: Path, args: Any) -> int:
    """Run every fault in a child of its own; how many did harm."""
    harmed = 0
    for name in FAULTS:
        count = max(2, int(args.count * SHARE[name]))
        facts = json.dumps({"name": name, "count": count, "seed": args.seed})
        command = [sys.executable, "-W", "ignore", "-m", "tools.attack.faults", facts]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **ENVIRONMENT},
                timeout=SECONDS + SECONDS_EACH * count,
            )
            words = done.stdout if done.returncode == 0 else f"HARM ({done.returncode}): {done.stderr[-1500:]}"
            harmed += done.returncode != 0
        except subprocess.TimeoutExpired:
            words, harmed = "HANG", harmed + 1
        print(f"{name}: {words.strip()}", flush=True)
    return harmed


def main() -> None:
    facts = json.loads(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        struck = FAULTS[facts["name"]](facts["count"], np.random.default_rng(facts["seed"]), Path(folder))
    print(f"struck {struck} times, no harm")


if __name__ == "__main__":
    main()
