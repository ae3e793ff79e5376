"""Exports estimator models as SavedModels: the format of requests, and the signatures of a model."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from reflow.api.export import export as public
from reflow.api.framework.core_names import placeholder
from reflow.compat import graph_variables
from reflow.compat.train.global_step import create_global_step
from reflow.compat.train.saver import Saver
from reflow.core import dtypes
from reflow.graph.graph import Graph
from reflow.io import parsing


class _Receiver(NamedTuple):
    features: Any
    receiver_tensors: dict
    receiver_tensors_alternatives: dict


@public("estimator.export.ServingInputReceiver", "compat.v1.estimator.export.ServingInputReceiver")
class ServingInputReceiver(_Receiver):
    """The tensors that a request feeds, and the features computed from them.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None])
    ...     sorted(tf.estimator.export.ServingInputReceiver({"x": x}, x).receiver_tensors)
    ['input']
    """

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        if not isinstance(receiver_tensors, dict):
            receiver_tensors = {"input": receiver_tensors}
        if not isinstance(features, dict):
            features = {"feature": features}
        return super().__new__(cls, features, receiver_tensors, receiver_tensors_alternatives or {})


@public("estimator.export.TensorServingInputReceiver", "compat.v1.estimator.export.TensorServingInputReceiver")
class TensorServingInputReceiver(_Receiver):
    """`ServingInputReceiver` for a model function whose features are one tensor.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None])
    ...     tf.estimator.export.TensorServingInputReceiver(x, x).features.shape
    TensorShape([None])
    """

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        if not isinstance(receiver_tensors, dict):
            receiver_tensors = {"input": receiver_tensors}
        return super().__new__(cls, features, receiver_tensors, receiver_tensors_alternatives or {})


@public(
    "estimator.export.build_parsing_serving_input_receiver_fn",
    "compat.v1.estimator.export.build_parsing_serving_input_receiver_fn",
)
def build_parsing_serving_input_receiver_fn(feature_spec: dict, default_batch_size: int | None = None) -> Callable:
    """A function for `export_saved_model`: requests are serialized `tf.train.Example`s, parsed by `feature_spec`.

    >>> spec = {"x": tf.io.FixedLenFeature([1], tf.float32)}
    >>> with tf.Graph().as_default():
    ...     sorted(tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)().receiver_tensors)
    ['examples']
    """

    def serving_input_receiver_fn():
        examples = placeholder(dtypes.string, [default_batch_size], name="input_example_tensor")
        return ServingInputReceiver(parsing.parse_example(examples, feature_spec), {"examples": examples})

    return serving_input_receiver_fn


@public(
    "estimator.export.build_raw_serving_input_receiver_fn",
    "compat.v1.estimator.export.build_raw_serving_input_receiver_fn",
)
def build_raw_serving_input_receiver_fn(features: dict, default_batch_size: int | None = None) -> Callable:
    """A function for `export_saved_model`: requests feed the features themselves. `features` holds tensors of their
    dtypes and shapes.

    >>> with tf.Graph().as_default():
    ...     receiver = tf.estimator.export.build_raw_serving_input_receiver_fn({"x": tf.zeros([1, 3])})()
    ...     receiver.features["x"].shape
    TensorShape([None, 3])
    """
    kinds = {
        name: (tensor.dtype, [default_batch_size, *tensor.shape.as_list()[1:]]) for name, tensor in features.items()
    }

    def serving_input_receiver_fn():
        made = {name: placeholder(dtype, shape, name=name) for name, (dtype, shape) in kinds.items()}
        return ServingInputReceiver(made, made)

    return serving_input_receiver_fn


def export(estimator, base, receiver_fn, assets_extra, as_text, checkpoint, mode) -> bytes:
    """Write a SavedModel to a new folder of `base`."""
    from reflow.compat.saved_model.builder import Builder
    from reflow.compat.saved_model.export_signatures import build_all_signature_defs, get_export_outputs
    from reflow.compat.session import Session

    with Graph().as_default() as graph:
        create_global_step()
        receiver = receiver_fn()
        spec = estimator._called(receiver.features, getattr(receiver, "labels", None), mode, estimator.config)
        outputs = get_export_outputs(dict(spec.export_outputs) if spec.export_outputs else None, spec.predictions)
        alternatives = getattr(receiver, "receiver_tensors_alternatives", None)
        signatures = build_all_signature_defs(receiver.receiver_tensors, outputs, alternatives)
        with new_folder(base, assets_extra) as folder, Session(graph=graph) as session:
            saver = spec.scaffold.saver or Saver(sharded=True)
            saver.restore(session, checkpoint)
            session.run(graph_variables.tables_initializer())
            builder = Builder(folder.temporary)
            builder.add_meta_graph_and_variables(
                session, ["serve"], signatures, main_op=graph_variables.tables_initializer(), saver=saver
            )
            builder.save(as_text)
    return folder.final.encode()


class Folder(NamedTuple):
    """Where a model is written first, and where it is then."""

    temporary: str
    final: str


@contextlib.contextmanager
def new_folder(base: Any, assets_extra: dict | None) -> Iterator[Folder]:
    """A new folder of `base`, named by the time in seconds; it gets its name and extra assets once complete."""
    base, number = os.fspath(base), int(time.time())
    while os.path.exists(os.path.join(base, str(number))):
        number += 1
    os.makedirs(base, exist_ok=True)
    final = os.path.join(base, str(number))
    folder = Folder(f"{final}.tmp", final)
    yield folder
    for name, source in (assets_extra or {}).items():
        target = os.path.join(folder.temporary, "assets.extra", name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)
    os.rename(folder.temporary, final)
