"""`tf.compat.v1.summary`: summaries as tensors, each a serialized `Summary`, which a `FileWriter` takes.

In eager code a summary goes to the current writer of `tf.summary` if there is one and a step is set; the function then
returns an empty string. Otherwise it warns and returns the serialized summary.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from reflow.api.array.arrange import expand_dims
from reflow.api.call import call
from reflow.api.export import export
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.name_scopes import name_scope
from reflow.compat.train.global_step import get_global_step
from reflow.core import dtypes
from reflow.core import logging as log
from reflow.core.context import state
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor
from reflow.summary import kinds, writer

EAGER = "Merging tf.summary.* ops is not compatible with eager execution. Use tf.contrib.summary instead."


def clean_tag(name: str) -> str:
    """A name with only those characters that a tag may have."""
    clean = re.sub(r"[^-/\w.]", "_", name).lstrip("/")
    if clean != name:
        log.get_logger().info("Summary name %s is illegal; using %s instead.", name, clean)
    return clean


@contextlib.contextmanager
def summary_scope(name: str, family: str | None = None) -> Iterator[tuple[str, str]]:
    """(tag, scope) of a summary. A family is the first part of both: TensorBoard groups by the tag's first part."""
    prefix = f"{clean_tag(family)}/" if family else ""
    with name_scope(f"{prefix}{clean_tag(name)}") as scope:
        yield prefix + scope.removesuffix("/"), scope


def _step() -> Any:
    """The step of a summary in eager code: that of `tf.summary`, else version 1's global step.

    None if neither is set.
    """
    found = writer.get_step()
    return get_global_step() if found is None else found


def _goes_to_the_writer() -> bool:
    """Whether a summary of eager code is written at once."""
    if state.graph is not None:
        return False
    missing = (
        "default summary writer not found" if writer.current.writer is None else "global step not set"
        if _step() is None else ""
    )
    if missing:
        warnings.warn(f"Cannot activate TF2 compatibility support for TF1 summary ops: {missing}.", stacklevel=4)
    return not missing


def _summary(
    name: str, family: str | None, collections: Any, modern: Callable, data: Any, older: Callable, **arguments: Any
) -> Tensor:
    """Write `data` by a function of `tf.summary`, or make the op of `older(tag)`: (name, inputs, attributes)."""
    if _goes_to_the_writer():
        with summary_scope(name, family) as (tag, _), name_scope(""):  # the tag holds the scopes already
            modern(name=tag, data=data, step=_step(), **arguments)
        return constant(b"")
    with summary_scope(name, family) as (tag, scope):
        op, inputs, attrs = older(constant(tag, name="tags" if modern is kinds.scalar else "tag"))
    made = call(op, inputs, attrs, scope)
    if state.graph is not None:
        get_default_graph().add_to_collections([GraphKeys.SUMMARIES] if collections is None else collections, made)
    return made


@export("compat.v1.summary.scalar")
def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """A number, as a serialized summary.

    Args:
      name: of the summary: below the current name scope, and after `family` if that is given, it is the tag.
      tensor: the number.
      collections: keys of the graph's collections that get the summary; by default that of `merge_all`.
      family: the group in which TensorBoard shows it.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     type(session.run(tf.compat.v1.summary.scalar("loss", 0.5))).__name__
    'bytes'
    """
    return _summary(
        name, family, collections, kinds.scalar, tensor,
        lambda tag: ("ScalarSummary", (tag, convert_to_tensor(tensor, name="values")), {}),
    )


@export("compat.v1.summary.histogram")
def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """The distribution of a tensor's elements, as a serialized summary.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.summary.histogram("weights", [1.0, 2.0], family="layer").op.name
    'layer/weights'
    """
    return _summary(
        name, family, collections, kinds.histogram, values,
        lambda tag: ("HistogramSummary", (tag, convert_to_tensor(values, name="values")), {}),
    )


@export("compat.v1.summary.image")
def image(name: str, tensor: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None) -> Tensor:
    """Pictures [count, height, width, channels], as a serialized summary.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.summary.image("pictures", tf.zeros([1, 2, 2, 3])).op.type
    'ImageSummary'
    """
    attrs = {"max_images": int(max_outputs), "bad_color": np.array([255, 0, 0, 255], np.uint8)}
    return _summary(
        name, family, collections, kinds.image, tensor,
        lambda tag: ("ImageSummary", (tag, convert_to_tensor(tensor, name="tensor")), attrs), max_outputs=max_outputs,
    )


@export("compat.v1.summary.audio")
def audio(
    name: str, tensor: Any, sample_rate: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None
) -> Tensor:
    """Sounds [count, frames] or [count, frames, channels] of floats from -1 to 1, as a serialized summary.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.summary.audio("sounds", tf.zeros([1, 8, 1]), sample_rate=8).op.type
    'AudioSummaryV2'
    """

    def older(tag: Tensor) -> tuple:
        rate = convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
        return (
            "AudioSummaryV2", (tag, convert_to_tensor(tensor, name="tensor"), rate), {"max_outputs": int(max_outputs)}
        )

    sounds = tensor
    if state.graph is None and (sounds := convert_to_tensor(tensor)).shape.rank == 2:
        sounds = expand_dims(sounds, 2)  # `tf.summary.audio` wants the channels
    return _summary(
        name, family, collections, kinds.audio, sounds, older, sample_rate=sample_rate, max_outputs=max_outputs
    )


@export("compat.v1.summary.text")
def text(name: str, tensor: Tensor, collections: Any = None) -> Tensor:
    """A string tensor, as a serialized summary; Markdown is shown as such.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.summary.text("notes", tf.constant("*hello*")).op.type
    'TensorSummaryV2'
    """
    from tensorboard.plugins.text import metadata

    if tensor.dtype != dtypes.string:
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
    about = metadata.create_summary_metadata(None, None)
    about.plugin_data.content = b""  # TensorFlow leaves it to TensorBoard to say the version
    return _summary(name, None, collections, kinds.text, tensor, _with_metadata(tensor, about))


def _with_metadata(tensor: Any, about: Any) -> Callable:
    def older(tag: Tensor) -> tuple:
        described = constant(about.SerializeToString(), dtypes.string, name="serialized_summary_metadata")
        return "TensorSummaryV2", (tag, convert_to_tensor(tensor, name="tensor"), described), {}

    return older


@export("compat.v1.summary.tensor_summary")
def tensor_summary(
    name: str, tensor: Any, summary_description: str | None = None, collections: Any = None,
    summary_metadata: Any = None, family: str | None = None, display_name: str | None = None,
) -> Tensor:
    """Any tensor, as a serialized summary, with what TensorBoard needs to know of it.

    Args:
      name, tensor, collections, family: as for `scalar`.
      summary_description: a text that TensorBoard shows with it.
      summary_metadata: a `SummaryMetadata` proto: which dashboard shows it.
      display_name: what TensorBoard calls it.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.summary.tensor_summary("numbers", [1, 2]).op.type
    'TensorSummaryV2'
    """
    from tensorboard.compat.proto.summary_pb2 import SummaryMetadata

    about = SummaryMetadata()
    if summary_metadata is not None:
        about.MergeFromString(summary_metadata.SerializeToString())
    if summary_description is not None:
        about.summary_description = summary_description
    if display_name is not None:
        about.display_name = display_name

    def modern(name: str, data: Any, step: Any) -> Any:
        return writer.write(name, data, step, about)

    return _summary(name, family, collections, modern, tensor, _with_metadata(tensor, about))


@export("compat.v1.summary.get_summary_description")
def get_summary_description(node_def: Any) -> Any:
    """The `SummaryDescription` of a node of the op TensorSummary, which old graphs have.

    Raises:
      ValueError: the node is of another op.

    >>> with tf.Graph().as_default():
    ...     node = tf.compat.v1.summary.scalar("loss", 1.0).op.node_def
    >>> tf.compat.v1.summary.get_summary_description(node)
    Traceback (most recent call last):
    ...
    ValueError: Can't get_summary_description on ScalarSummary
    """
    from google.protobuf import json_format
    from tensorboard.compat.proto.summary_pb2 import SummaryDescription

    if "description" not in node_def.attr:
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    return json_format.Parse(node_def.attr["description"].s, SummaryDescription())


@export("compat.v1.summary.merge")
def merge(inputs: Sequence[Any], collections: Any = None, name: str | None = None) -> Tensor:
    """Several serialized summaries as one.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     loss, rate = tf.compat.v1.summary.scalar("loss", 0.5), tf.compat.v1.summary.scalar("rate", 0.1)
    ...     both = session.run(tf.compat.v1.summary.merge([loss, rate]))
    >>> [value.tag for value in tf.compat.v1.Summary.FromString(both).value]
    ['loss', 'rate']
    """
    if state.graph is None:
        raise RuntimeError(EAGER)
    with name_scope(name or "Merge"):
        merged = call("MergeSummary", [convert_to_tensor(t) for t in inputs], {"N": len(inputs)}, name)
    if collections is not None:
        get_default_graph().add_to_collections(collections, merged)
    return merged


@export("compat.v1.summary.merge_all")
def merge_all(key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None) -> Tensor | None:
    """All summaries of the graph as one; None if there are none.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     loss, rate = tf.compat.v1.summary.scalar("loss", 0.5), tf.compat.v1.summary.scalar("rate", 0.1)
    ...     both = session.run(tf.compat.v1.summary.merge_all())
    >>> [value.tag for value in tf.compat.v1.Summary.FromString(both).value]
    ['loss', 'rate']
    """
    if state.graph is None:
        raise RuntimeError(EAGER)
    found = get_default_graph().get_collection(key, scope)
    return merge(found, name=name) if found else None


@export("compat.v1.summary.all_v2_summary_ops")
def all_v2_summary_ops() -> list | None:
    """The tensors by which the graph writes summaries of `tf.summary`: evaluating them writes. None in eager code.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.summary.all_v2_summary_ops()
    []
    """
    return None if state.graph is None else get_default_graph().get_collection(writer.COLLECTION)


@export("compat.v1.summary.initialize")
def initialize(graph: Any = None, session: Any = None) -> None:
    """Run the operations that make the files of the graph's writers, and write a graph, if one is given.

    Args:
      graph: a `tf.Graph` or a GraphDef.
      session: runs the operations; the default session unless it is given. Eager code needs none.

    Raises:
      RuntimeError: there is no current writer.

    >>> tf.compat.v1.summary.initialize()
    Traceback (most recent call last):
    ...
    RuntimeError: No default tf.contrib.summary.SummaryWriter found
    """
    if writer.current.writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    if state.graph is None:
        if graph is not None:
            kinds.graph(graph)
        return
    if session is None:
        from reflow.compat.session import get_default_session

        session = get_default_session()
        if session is None:
            raise ValueError("Argument `session must be passed if no default session exists")
    session.run(writer.initializers())
    if graph is not None:
        session.run(kinds.write_graph(graph))
