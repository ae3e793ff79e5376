"""Queues and their kin: resources that hand elements from one step of a program to another, and make a step wait.

`waiting.py` says how a step waits and what ends it; `queues.py`, `barrier.py`, `accumulators.py`, `staging.py` and `readers.py` hold what
a resource is; `kernels/` the records of their ops; `public.py` the classes of `tf.queue`.
"""
