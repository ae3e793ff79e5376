# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.summary`."""

from reflow.compat.protos import Event as Event
from reflow.compat.protos import SessionLog as SessionLog
from reflow.compat.protos import Summary as Summary
from reflow.compat.protos import SummaryDescription as SummaryDescription
from reflow.compat.protos import TaggedRunMetadata as TaggedRunMetadata
from reflow.compat.summary import all_v2_summary_ops as all_v2_summary_ops
from reflow.compat.summary import audio as audio
from reflow.compat.summary import get_summary_description as get_summary_description
from reflow.compat.summary import histogram as histogram
from reflow.compat.summary import image as image
from reflow.compat.summary import initialize as initialize
from reflow.compat.summary import merge as merge
from reflow.compat.summary import merge_all as merge_all
from reflow.compat.summary import scalar as scalar
from reflow.compat.summary import tensor_summary as tensor_summary
from reflow.compat.summary import text as text
from reflow.compat.summary_files import FileWriter as FileWriter
from reflow.compat.summary_files import FileWriterCache as FileWriterCache
