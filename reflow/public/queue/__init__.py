# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.queue`."""

from reflow.queues.public import FIFOQueue as FIFOQueue
from reflow.queues.public import PaddingFIFOQueue as PaddingFIFOQueue
from reflow.queues.public import PriorityQueue as PriorityQueue
from reflow.queues.public import QueueBase as QueueBase
from reflow.queues.public import RandomShuffleQueue as RandomShuffleQueue
