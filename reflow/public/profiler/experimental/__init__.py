# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.profiler.experimental`."""

from reflow.public.profiler.experimental import client as client
from reflow.public.profiler.experimental import server as server
from reflow.summary.profiler import Profile as Profile
from reflow.summary.profiler import ProfilerOptions as ProfilerOptions
from reflow.summary.profiler import Trace as Trace
from reflow.summary.profiler import start as start
from reflow.summary.profiler import stop as stop
