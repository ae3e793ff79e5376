# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.summary`."""

from reflow.compat.protos import Event as Event
from reflow.compat.protos import SessionLog as SessionLog
from reflow.compat.protos import Summary as Summary
from reflow.compat.protos import SummaryDescription as SummaryDescription
from reflow.compat.protos import TaggedRunMetadata as TaggedRunMetadata
from reflow.compat.summary import FileWriter as FileWriter
from reflow.compat.summary import FileWriterCache as FileWriterCache
from reflow.compat.summary import histogram as histogram
from reflow.compat.summary import image as image
from reflow.compat.summary import merge as merge
from reflow.compat.summary import merge_all as merge_all
from reflow.compat.summary import scalar as scalar
