"""Kill programs that save checkpoints, at random moments, and look at what they left: `make kill-saves`.

A child process saves a model with a `tf.train.CheckpointManager` again and again; after a random time it gets SIGKILL.
Then the folder must hold a latest checkpoint that restores, with every tensor of one and the same step, no older than
the last that the child had finished. The child says on a pipe which step it has finished. The next child goes on in the
same folder, over what the killed one left.

    python -m tools.kill_saves --count 1000 --seed 0

`--modes` chooses among saving at once (sync), in the background (async), and two processes that save into one folder
(two). Children are forks of this process, which has imported Reflow: a kill takes a fraction of a second.
"""

from __future__ import annotations

import argparse
import os
import random
import select
import signal
import sys
import tempfile
import time
from typing import Any, NoReturn

import reflow as tf

MODES = ("sync", "async", "two")
SIZES = (1, 1000, 100_000)


def _objects(step: int) -> Any:
    values = [tf.Variable(tf.fill([size], step)) for size in SIZES]
    return tf.train.Checkpoint(step=tf.Variable(step, dtype=tf.int64), values=values)


def save_for_ever(folder: str, name: str, in_background: bool, begin: int, pipe: int) -> NoReturn:
    """What a child does: save step after step, and write to the pipe which one is finished."""
    checkpoint = _objects(begin)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2, checkpoint_name=name)
    options = tf.train.CheckpointOptions(enable_async=in_background)
    step = begin
    while True:
        step += 1
        checkpoint.step.assign(step)
        for v in checkpoint.values:
            v.assign(tf.fill(v.shape, step))
        manager.save(checkpoint_number=step, options=options)
        # Saves wait for one another: when one in the background has begun, the one before it has ended.
        finished = step if not in_background else step - 1 if step - 1 > begin else 0
        os.write(pipe, f"{finished}\n".encode())


class Child:
    """A process that saves."""

    def __init__(self, folder: str, name: str, in_background: bool, begin: int):
        self.pipe, other = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                save_for_ever(folder, name, in_background, begin, other)
            finally:
                os._exit(1)
        os.close(other)
        self.said = b""

    def wait_for_first(self, seconds: float = 120.0) -> None:
        """Wait until the first save is finished."""
        ready, _, _ = select.select([self.pipe], [], [], seconds)
        self.said = os.read(self.pipe, 1 << 16) if ready else b""
        if not self.said:
            raise RuntimeError("the saving process ended, or did not begin in time")

    def kill(self) -> int:
        """Kill it; returns the last step that it had finished."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        while more := os.read(self.pipe, 1 << 16):
            self.said += more
        os.close(self.pipe)
        return int(self.said.split(b"\n")[-2])  # behind the last end of a line may be a part of one


def check(folder: str, name: str, finished: int) -> int:
    """The newest step of a name in a folder.

    AssertionError if it is none, a mixture, or older than the last finished one.
    """
    found = [
        int(file[len(name) + 1 : -6]) for file in os.listdir(folder)
        if file.startswith(f"{name}-") and file.endswith(".index")
    ]
    assert found or finished == 0, f"{name} has no checkpoint; step {finished} was finished"
    for step in found:  # each that has an index is whole
        checkpoint = _objects(0)
        checkpoint.restore(os.path.join(folder, f"{name}-{step}")).expect_partial()
        stored = {int(checkpoint.step), *(int(n) for v in checkpoint.values for n in set(v.numpy().tolist()))}
        assert stored == {step}, f"{name}-{step} holds values of the steps {sorted(stored)}"
    assert max(found, default=0) >= finished, (
        f"{name} holds step {max(found, default=0)}, but step {finished} was finished"
    )
    return max(found, default=0)


def kill_once(folder: str, mode: str, begins: dict[str, int], rng: random.Random, longest: float = 0.1) -> None:
    """Start the processes of a mode, kill them after a random time, look at the folder.

    `begins` holds the steps to go on from.
    """
    names = ("a", "b") if mode == "two" else ("a",)
    children = {name: Child(folder, name, mode == "async", begins.get(name, 0)) for name in names}
    finished = {}
    try:
        for child in children.values():
            child.wait_for_first()
        time.sleep(rng.uniform(0.0, longest))
    finally:
        for name, child in children.items():
            finished[name] = child.kill()
    for name in names:
        begins[name] = check(folder, name, finished[name])
    latest = tf.train.latest_checkpoint(folder)
    assert latest is not None or not any(finished.values()), "the file `checkpoint` names no checkpoint that is there"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--count", type=int, default=1000, help="how many times to kill at least: the same number in each mode"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--modes", nargs="+", default=MODES, choices=MODES)
    options = parser.parse_args()
    rng, lost = random.Random(options.seed), 0
    for mode in options.modes:
        begins: dict[str, int] = {}
        count = -(-options.count // len(options.modes))  # rounded up
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(count):
                try:
                    kill_once(folder, mode, begins, rng)
                except AssertionError as error:
                    lost += 1
                    print(f"{mode}: {error}", flush=True)
        print(f"{mode}: {count} kills, {max(begins.values(), default=0)} steps", flush=True)
    print(f"{lost} lost")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
