"""Queues and related resources: they pass elements between steps of a program, and can block a step.

`waiting.py` defines how a step waits and what ends the wait; `queues.py`, `stacks.py` (also barriers),
`accumulators.py`, `staging.py` and `readers.py` hold the resources; `kernels/` the records of their ops; `public.py`
the classes of `tf.queue`.
"""
