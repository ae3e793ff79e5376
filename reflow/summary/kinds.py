"""`tf.summary.scalar`, `histogram`, `image`, `audio`, `text`, `graph`: data in the formats of TensorBoard's dashboards.

The metadata (which dashboard, how to read the tensor) come from TensorBoard itself.
"""

from __future__ import annotations

from reflow.api.array import arrange, creation
from reflow.api.audio import encode_wav
from reflow.api.call import call
from reflow.api.control import functional
from reflow.api.export import export, with_sections
from reflow.api.image import files
from reflow.api.image import sizes as image_sizes
from reflow.api.math import arithmetic, reduce, segment, unary
from reflow.core import dtypes
from reflow.core.context import state
from reflow.ops.convert import constant, convert_to_tensor
from reflow.summary import writer
from reflow.summary.writer import summary_scope, write


@export("summary.scalar")
def scalar(name, data, step=None, description=None):
    """Writes one number.

    Args:
      name: The name of the summary, below the current name scopes.
      data: A number, or a scalar tensor, which is cast to float32.
      step: The step it belongs to; by default that of `tf.summary.experimental.set_step`.
      description: A text that TensorBoard shows, in Markdown.

    Returns:
      A bool scalar tensor: whether it was recorded. Without a current writer it is False.

    Raises:
      ValueError: `data` is not a scalar, or there is no step.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.scalar("loss", 0.25, step=1).numpy().item()
    True
    """
    from tensorboard.plugins.scalar import metadata

    data = convert_to_tensor(data)
    if data.shape.rank not in (0, None):
        raise ValueError(f"Expected scalar shape, saw shape: {data.shape}.")
    with summary_scope(name, "scalar_summary") as (tag, _):
        return write(
            tag, arithmetic.cast(data, dtypes.float32), step, metadata.create_summary_metadata(None, description)
        )


_SUMMARY = """\
Args:
  description: A text that TensorBoard shows, in Markdown.

Returns:
  A bool scalar tensor: whether it was recorded.

Raises:
  ValueError: There is no step.
"""


@export("summary.histogram")
@with_sections(_SUMMARY)
def histogram(name, data, step=None, buckets=None, description=None):
    """Writes how the numbers of a tensor are distributed.

    Args:
      name: The name of the summary, below the current name scopes.
      data: A tensor of numbers, of any shape.
      step: The step it belongs to; by default that of `tf.summary.experimental.set_step`.
      buckets: How many buckets of equal width there are; by default 30.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.histogram("weights", tf.random.normal([100]), step=1).numpy().item()
    True
    """
    from tensorboard.plugins.histogram import metadata

    data, count = convert_to_tensor(data), 30 if buckets is None else buckets

    def rows():
        return _buckets(arrange.stop_gradient(data), count)

    with summary_scope(name, "histogram_summary") as (tag, _):
        return write(tag, rows, step, metadata.create_summary_metadata(None, description))


def _buckets(data, count: int):
    """Rows [left, right, how many].

    If all data are equal, every bucket is that place and the last one holds the count.
    """
    flat = arithmetic.cast(arrange.reshape(data, [-1]), dtypes.float64)
    size = arrange.size(flat)
    low, high = reduce.reduce_min(flat), reduce.reduce_max(flat)
    single = arithmetic.equal(low, high)
    width = arithmetic.where(single, constant(1, dtypes.float64), (high - low) / count)
    places = arithmetic.cast(arithmetic.minimum(unary.floor((flat - low) / width), count - 1), dtypes.int32)
    places = arithmetic.where(single, count - 1, places)
    held = segment.unsorted_segment_sum(creation.ones_like(flat), places, count)
    edges = creation.linspace(low, high, count + 1)
    rows = arrange.stack([edges[:-1], edges[1:], held], axis=1)
    return arithmetic.where(size > 0, rows, creation.zeros_like(rows))


@export("summary.image")
def image(name, data, step=None, max_outputs=3, description=None):
    """Writes pictures.

    Args:
      name: The name of the summary, below the current name scopes.
      data: Pictures `[count, height, width, channels]`: 8-bit integers, or floats from 0 to 1.
      step: The step they belong to; by default that of `tf.summary.experimental.set_step`.
      max_outputs: How many pictures are written at most.
      description: A text that TensorBoard shows, in Markdown.

    Returns:
      A bool scalar tensor: whether they were recorded.

    Raises:
      ValueError: `data` does not have rank 4, or there is no step.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.image("noise", tf.random.uniform([1, 8, 8, 3]), step=1).numpy().item()
    True
    """
    from tensorboard.plugins.image import metadata

    data = convert_to_tensor(data)
    if data.shape.rank not in (4, None):
        raise ValueError(f"Tensor must have rank 4. Received rank {data.shape.rank}, shape {data.shape}")

    def pictures():
        eight = image_sizes.convert_image_dtype(data, dtypes.uint8, saturate=True)
        dims = arrange.shape(eight)
        sizes = [call("StringFormat", (dims[axis],), {"template": "%s"}) for axis in (2, 1)]
        return arrange.concat([arrange.stack(sizes), files.encode_png(eight[:max_outputs])], axis=0)

    with summary_scope(name, "image_summary") as (tag, _):
        return write(tag, pictures, step, metadata.create_summary_metadata(None, description))


@export("summary.audio")
def audio(name, data, sample_rate, step=None, max_outputs=3, encoding=None, description=None):
    """Writes sounds, as WAV.

    Args:
      name: The name of the summary, below the current name scopes.
      data: Sounds `[count, frames, channels]` of floats from -1 to 1.
      sample_rate: Frames per second.
      step: The step they belong to; by default that of `tf.summary.experimental.set_step`.
      max_outputs: How many sounds are written at most.
      encoding: "wav", or None, which is the same: TensorBoard knows no other.
      description: A text that TensorBoard shows, in Markdown.

    Returns:
      A bool scalar tensor: whether they were recorded.

    Raises:
      ValueError: `data` does not have rank 3, the encoding is another, or there is no step.

    >>> import tempfile
    >>> waves = tf.sin(tf.linspace(0.0, 900.0, 4000))[None, :, None]
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.audio("tone", waves, sample_rate=8000, step=1).numpy().item()
    True
    """
    from tensorboard.plugins.audio import metadata

    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    data = convert_to_tensor(data)
    if data.shape.rank not in (3, None):
        raise ValueError(f"Tensor must have rank 3. Received rank {data.shape.rank}, shape {data.shape}")

    def sounds():
        rate = convert_to_tensor(sample_rate, dtypes.int32)
        wav = functional.map_fn(
            lambda sound: encode_wav(sound, rate), data[:max_outputs], fn_output_signature=dtypes.string
        )
        return arrange.stack([wav, creation.fill(arrange.shape(wav), constant(""))], axis=1)

    with summary_scope(name, "audio_summary") as (tag, _):
        kind = metadata.create_summary_metadata(None, description, metadata.Encoding.Value("WAV"))
        return write(tag, sounds, step, kind)


@export("summary.text")
@with_sections(_SUMMARY)
def text(name, data, step=None, description=None):
    """Writes a string, or a table of strings; Markdown is shown as such.

    Args:
      name: The name of the summary, below the current name scopes.
      data: A string tensor.
      step: The step it belongs to; by default that of `tf.summary.experimental.set_step`.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.text("note", "*half* as fast", step=1).numpy().item()
    True
    """
    from tensorboard.plugins.text import metadata

    with summary_scope(name, "text_summary") as (tag, _):
        return write(
            tag, convert_to_tensor(data, dtypes.string), step, metadata.create_summary_metadata(None, description)
        )


@export("summary.graph")
def graph(graph_data):
    """Writes a graph, for the dashboard Graphs.

    Args:
      graph_data: A `tf.Graph` or a GraphDef.

    Returns:
      A bool scalar tensor: whether it was recorded.

    Raises:
      ValueError: `graph_data` is no graph, or it is called inside a `tf.function`.

    >>> import tempfile
    >>> f = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([]))
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.graph(f.graph).numpy().item()
    True
    """
    if state.graph is not None:
        raise ValueError("graph() cannot be invoked inside a graph context.")
    return write_graph(graph_data)


def write_graph(graph_data):
    """Write a graph, also by a node of another graph."""
    proto = graph_data.as_graph_def() if hasattr(graph_data, "as_graph_def") else graph_data
    if not hasattr(proto, "SerializeToString"):
        raise ValueError(
            f"Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received graph_data={graph_data}."
        )
    text = constant(proto.SerializeToString(), dtypes.string)
    return writer.record(lambda w, step: ("WriteGraphSummary", (w, step, text)), 0)
