"""The signatures of an exported model, and its folder.

*Receiver tensors* are what a request feeds. An export output (`export_outputs.py`) becomes a signature if it accepts
that kind of receivers, and if it can be computed from them.
"""

from __future__ import annotations

import collections
import os
import time
from collections.abc import Iterable, Mapping
from typing import Any

from reflow.compat.saved_model.export_outputs import EvalOutput, ExportOutput, PredictOutput, TrainOutput
from reflow.compat.saved_model.mode_keys import ModeKeyMap
from reflow.core.logging import logger
from reflow.core.types import Proto
from reflow.graph.node import Node
from reflow.ops import registry

DEFAULT = "serving_default"
SINGLE_FEATURE_DEFAULT_NAME, SINGLE_LABEL_DEFAULT_NAME, SINGLE_RECEIVER_DEFAULT_NAME = "feature", "label", "input"
MAX_DIRECTORY_CREATION_ATTEMPTS = 10
EXPORT_TAG_MAP = ModeKeyMap(predict=["serve"], train=["train"], test=["eval"])
SIGNATURE_KEY_MAP = ModeKeyMap(predict=DEFAULT, train="train", test="eval")
_SUPERVISED = ("tensorflow/supervised/training", "tensorflow/supervised/eval")


def _named(receivers: Any) -> dict[str, Any]:
    return receivers if isinstance(receivers, dict) else {SINGLE_RECEIVER_DEFAULT_NAME: receivers}


def build_all_signature_defs(
    receiver_tensors: Any, export_outputs: Mapping[Any, ExportOutput],
    receiver_tensors_alternatives: Mapping[str, Any] | None = None, serving_only: bool = True,
) -> dict[str, Proto]:
    """The SignatureDefs of outputs: by their keys for the receivers, by `alternative:key` for alternative ones.

    Those that the receivers cannot compute are left out, with a line in the log; so are those of training and
    evaluation if `serving_only`.

    Raises:
      ValueError: `export_outputs` is not a dict.
    """
    if not isinstance(export_outputs, dict):
        raise ValueError(
            f"`export_outputs` must be a dict. Received {export_outputs} with type {type(export_outputs).__name__}."
        )
    made: dict[str, Proto] = {}
    excluded: dict[str, str] = {}
    for prefix, receivers in [("", receiver_tensors), *((receiver_tensors_alternatives or {}).items())]:
        for key, output in export_outputs.items():
            name = f"{prefix}:{key or 'None'}" if prefix else str(key or "None")
            try:
                signature = output.as_signature_def(_named(receivers))
                _ensure_servable(_named(receivers).values(), signature.outputs)
            except ValueError as error:
                excluded[name] = str(error)
                continue
            if serving_only and signature.method_name in _SUPERVISED:
                excluded[name] = "it is a signature of training or evaluation, and only those for serving are exported"
            else:
                made[name] = signature
    _report(made, excluded)
    return made


def _report(made: Mapping[str, Proto], excluded: Mapping[str, str]) -> None:
    for name, signature in made.items():
        logger.info("Signature included in export for %s: %s", signature.method_name.rpartition("/")[2], name)
    for name, why in excluded.items():
        logger.info("Signature excluded from export: %s: %s", name, why)
    if not made:
        logger.warning("Export includes no signatures!")
    elif DEFAULT not in made:
        logger.warning("Export includes no default signature!")


def _must_be_fed(op: Node) -> bool:
    return op.record is registry.get("Placeholder")


def _nodes(tensor: Any) -> list[Node]:
    """The nodes that make a tensor, or the parts of a sparse one."""
    parts = (tensor.indices, tensor.values, tensor.dense_shape) if hasattr(tensor, "dense_shape") else (tensor,)
    return [part.op for part in parts]


def _ensure_servable(input_tensors: Iterable[Any], names_to_output_tensor_infos: Mapping[str, Proto]) -> None:
    """Raise a ValueError if outputs depend on a placeholder that is not an input."""
    inputs = list(input_tensors)
    infos = [info for info in names_to_output_tensor_infos.values() if info.name]
    if not inputs or not infos:
        return
    graph = inputs[0].graph
    fed = {id(node) for tensor in inputs for node in _nodes(tensor)}
    paths = collections.deque([graph.get_tensor_by_name(info.name).op] for info in infos)
    seen: set[int] = set()
    while paths:
        path = paths.popleft()
        node = path[-1]
        if id(node) in fed or id(node) in seen:
            continue
        seen.add(id(node))
        if _must_be_fed(node):
            steps = " <- ".join(f"{step.name} ({step.type})" for step in path)
            raise ValueError(
                f"The signature's input tensors {[t.name for t in inputs]} are insufficient to compute its output keys "
                f"{list(names_to_output_tensor_infos)} (respectively, tensors {[info.name for info in infos]}) because "
                f"of the dependency on `{node.name}` which is not given as a signature input, as illustrated by the "
                f"following dependency path: {steps}"
            )
        paths.extend([*path, below] for below in [*(t.op for t in node.inputs), *node.control_inputs])


# --- outputs


def get_export_outputs(export_outputs: Any, predictions: Any) -> dict[str, ExportOutput]:
    """The outputs that a model function gave, or its predictions; one of them is the default.

    Raises:
      TypeError: they are not a dict of export outputs.
      ValueError: there are several, and none is the default.
    """
    outputs = {DEFAULT: PredictOutput(predictions or {})} if export_outputs is None else export_outputs
    if not isinstance(outputs, dict):
        raise TypeError(f"`export_outputs` must be dict, received: {outputs}.")
    if not all(isinstance(output, ExportOutput) for output in outputs.values()):
        raise TypeError(f"Values in `export_outputs` must be ExportOutput objects, received: {outputs}.")
    return _maybe_add_default_serving_output(outputs)


def _maybe_add_default_serving_output(export_outputs: dict[str, ExportOutput]) -> dict[str, ExportOutput]:
    """One output alone is the default."""
    if len(export_outputs) == 1:
        export_outputs.setdefault(DEFAULT, next(iter(export_outputs.values())))
    elif export_outputs and DEFAULT not in export_outputs:
        raise ValueError(
            "Multiple `export_outputs` were provided, but none of them are specified as the default. "
            "Use`tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY` to specify a default."
        )
    return export_outputs


def export_outputs_for_mode(
    mode: str, serving_export_outputs: Any = None, predictions: Any = None, loss: Any = None, metrics: Any = None
) -> dict[str, ExportOutput]:
    """The outputs of a model in a mode: loss, predictions and metrics where it is trained or evaluated."""
    key = SIGNATURE_KEY_MAP[mode]
    if key == DEFAULT:
        return get_export_outputs(serving_export_outputs, predictions)
    kind = TrainOutput if key == "train" else EvalOutput
    return {key: kind(loss=loss, predictions=predictions, metrics=metrics)}


# --- folders


def get_timestamped_export_dir(export_dir_base: Any) -> bytes:
    """A folder that does not exist yet, below the base, named by the time in seconds.

    Raises:
      RuntimeError: all names that were tried are taken.
    """
    base = os.fsencode(export_dir_base)
    for _ in range(MAX_DIRECTORY_CREATION_ATTEMPTS):
        folder = os.path.join(base, str(int(time.time())).encode())
        if not os.path.exists(folder):
            return folder
        time.sleep(1)
        logger.warning("Directory %s already exists; retrying", folder)
    raise RuntimeError(
        f"Failed to obtain a unique export directory name after {MAX_DIRECTORY_CREATION_ATTEMPTS} attempts."
    )


def get_temp_export_dir(timestamped_export_dir: Any) -> bytes:
    """Where a model is written before it is renamed: an adjacent folder `temp-…`."""
    folder, name = os.path.split(os.fsencode(timestamped_export_dir))
    return os.path.join(folder, b"temp-" + name)
