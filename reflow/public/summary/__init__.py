# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.summary`: event files for TensorBoard."""

from reflow.public.summary import experimental as experimental
from reflow.summary.kinds import audio as audio
from reflow.summary.kinds import graph as graph
from reflow.summary.kinds import histogram as histogram
from reflow.summary.kinds import image as image
from reflow.summary.kinds import scalar as scalar
from reflow.summary.kinds import text as text
from reflow.summary.trace import trace_export as trace_export
from reflow.summary.trace import trace_off as trace_off
from reflow.summary.trace import trace_on as trace_on
from reflow.summary.writer import SummaryWriter as SummaryWriter
from reflow.summary.writer import create_file_writer as create_file_writer
from reflow.summary.writer import create_noop_writer as create_noop_writer
from reflow.summary.writer import flush as flush
from reflow.summary.writer import record_if as record_if
from reflow.summary.writer import should_record_summaries as should_record_summaries
from reflow.summary.writer import write as write
