"""Programs that end without stopping their threads or closing their files."""

import os
import subprocess
import sys

from tensorboard.compat.proto.event_pb2 import Event

from reflow.io import records
from tests import ROOT

PROGRAM = """
import sys
import threading
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
queue = tf.FIFOQueue(10, tf.float32)
runner = tf.train.QueueRunner(queue, [queue.enqueue(tf.random_normal([]))] * 4)
tf.train.add_queue_runner(runner)
coord = tf.train.Coordinator() if sys.argv[2] == "coord" else None
session = tf.Session()
tf.train.start_queue_runners(session, coord)
tf.train.LooperThread.loop(tf.train.Coordinator(), 0.01, session.run, (queue.size(),))
session.run(queue.dequeue())
found = []
thread = threading.Thread(target=lambda: found.append(session.run(queue.size() * 0 + tf.constant(2))))
thread.start()
thread.join()
assert found == [2], found  # the user's threads build the default graph too
writer = tf.summary.FileWriter(sys.argv[1])
writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=5.0)]), 3)
print("done")
"""


def test_threads_are_stopped_and_events_written(tmp_path):
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    for kind in ("plain", "coord"):
        folder = tmp_path / kind
        command = [sys.executable, "-m", "reflow", "-", str(folder), kind]
        done = subprocess.run(command, input=PROGRAM, capture_output=True, text=True, env=env, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
        (path,) = folder.iterdir()
        assert [e.step for e in map(Event.FromString, records.read(str(path)))][-1] == 3
