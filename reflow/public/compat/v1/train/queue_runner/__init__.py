# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.train.queue_runner`."""

from reflow.compat.train.queue_runners import QueueRunner as QueueRunner
from reflow.compat.train.queue_runners import add_queue_runner as add_queue_runner
from reflow.compat.train.queue_runners import start_queue_runners as start_queue_runners
