"""`tensorflow.python.ops.summary_ops_v2`: what `tf.contrib.summary` had.

Summaries of one kind, and when they are recorded.
"""

import numpy as np

from reflow.api.math import arithmetic
from reflow.compat.summary import summary_scope as _version_one_scope
from reflow.compat.train.global_step import get_or_create_global_step
from reflow.core import dtypes
from reflow.core.context import state
from reflow.ops.convert import constant, convert_to_tensor
from reflow.summary import writer
from reflow.summary.trace import run_metadata as run_metadata
from reflow.summary.trace import run_metadata_graphs as run_metadata_graphs
from reflow.summary.writer import create_file_writer as create_file_writer_v2
from reflow.summary.writer import record_if
from reflow.summary.writer import summary_scope as summary_scope


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None):
    """A writer of event files in a folder; writers of one name share a file."""
    if state.graph is None or state.graph.building_function:
        return create_file_writer_v2(logdir, max_queue, flush_millis, filename_suffix, name)
    return writer.writer_of_graph(logdir, max_queue, flush_millis, filename_suffix, None, name or f"logdir:{logdir}")


def create_summary_file_writer(*args, **kwargs):
    """The older name of `create_file_writer`."""
    return create_file_writer(*args, **kwargs)


def has_default_writer():
    """Whether there is a current writer."""
    return writer.current.writer is not None


def always_record_summaries():
    """A `with` block in which all summaries are recorded."""
    return record_if(True)


def never_record_summaries():
    """A `with` block in which none is recorded."""
    return record_if(False)


def record_summaries_every_n_global_steps(n, global_step=None):
    """A `with` block in which those of every n-th step are recorded."""
    step = get_or_create_global_step() if global_step is None else global_step
    return record_if(lambda: arithmetic.equal(step % n, 0))


def _of_kind(op, name, family, step, values, attrs=None):
    """Write a summary by one of the ops for a kind."""
    with _version_one_scope(name, family) as (tag, _):

        def inputs(resource, when):
            return op, (resource, when, constant(tag), *values()), attrs or {}

        return writer.record(
            inputs, get_or_create_global_step() if step is None and writer.get_step() is None else step
        )


def scalar(name, tensor, family=None, step=None):
    """A number."""
    return _of_kind("WriteScalarSummary", name, family, step, lambda: (convert_to_tensor(tensor),))


def histogram(name, tensor, family=None, step=None):
    """The distribution of a tensor's elements."""
    return _of_kind("WriteHistogramSummary", name, family, step, lambda: (convert_to_tensor(tensor),))


def image(name, tensor, bad_color=None, max_images=3, family=None, step=None):
    """Pictures; `bad_color` shows pixels that are not finite."""
    color = np.array([255, 0, 0, 255], np.uint8) if bad_color is None else bad_color
    values = lambda: (convert_to_tensor(tensor), convert_to_tensor(color, dtypes.uint8))
    return _of_kind("WriteImageSummary", name, family, step, values, {"max_images": max_images})


def audio(name, tensor, sample_rate, max_outputs, family=None, step=None):
    """Records audio clips as a summary."""
    values = lambda: (convert_to_tensor(tensor), convert_to_tensor(sample_rate, dtypes.float32))
    return _of_kind("WriteAudioSummary", name, family, step, values, {"max_outputs": max_outputs})


def generic(name, tensor, metadata=None, family=None, step=None):
    """Any tensor."""
    with _version_one_scope(name, family) as (tag, _):
        return writer.write(tag, tensor, step, metadata)


def import_event(tensor, name=None):
    """Add an event that was serialized before."""
    return writer.record(lambda resource, when: ("ImportEvent", (resource, convert_to_tensor(tensor)), {}), 0)
