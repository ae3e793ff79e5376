"""Counts steps in a variable under a `PreemptionCheckpointHandler`, and prints where it begins:
`preempted_program.py FOLDER STEPS`."""

import os
import signal
import sys

import reflow as tf

folder, steps = sys.argv[1], int(sys.argv[2])
total = tf.Variable(0)
handler = tf.distribute.experimental.PreemptionCheckpointHandler(None, tf.train.Checkpoint(total=total), folder)
print("begins after", handler.total_run_calls, "with", int(total), flush=True)
for step in range(handler.total_run_calls, steps):
    handler.run(total.assign_add, 1)
    if step == 2:
        os.kill(os.getpid(), signal.SIGTERM)
print("ends with", int(total))
