"""SignatureDefs: which tensors of a graph are a model's named inputs and outputs."""

from __future__ import annotations

from typing import Any

from tensorboard.compat.proto.meta_graph_pb2 import SignatureDef, TensorInfo

from reflow.api.export import export
from reflow.compat.behavior import get_default_graph
from reflow.compat.scoped_names import prepend_scope
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import Tensor
from reflow.graph.node import Node
from reflow.graph.proto_values import encode_shape, encode_tensor
from reflow.ops.convert import convert_to_tensor
from reflow.saved_model import constants, saved_model_proto


def _names(name: str, *places: str) -> list[str]:
    return [f"compat.v1.saved_model.{place}{name}" for place in ("", *places)]


def _in_utils(name: str):
    return export(*_names(name, "signature_def_utils."))


@export(*_names("build_tensor_info", "utils."))
def build_tensor_info(tensor: Any) -> Any:
    """A TensorInfo: the name, dtype and shape of a tensor of a graph, or of the parts of a sparse or ragged one.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.saved_model.build_tensor_info(tf.constant([1.0], name="x")).name
    'x:0'
    """
    if state.graph is None:
        raise RuntimeError("`build_tensor_info` is not supported in eager execution.")
    return tensor_info_of(tensor)


def tensor_info_of(tensor: Any) -> Any:
    """`build_tensor_info`, also outside of a graph."""
    info = TensorInfo(dtype=dtypes.as_dtype(tensor.dtype).enum)
    encode_shape(tensor.shape._dims, info.tensor_shape)
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    elif isinstance(tensor, RaggedTensor):
        for part in (tensor.flat_values, *tensor.nested_row_splits):
            info.composite_tensor.components.add().CopyFrom(tensor_info_of(part))
    else:
        info.name = tensor.name
    return info


def tensor_info_of_op(op: Node) -> Any:
    """A TensorInfo that names an operation."""
    info = TensorInfo(dtype=dtypes.string.enum, name=op.name)
    info.tensor_shape.unknown_rank = True
    return info


@export(*_names("get_tensor_from_tensor_info", "utils."))
def get_tensor_from_tensor_info(tensor_info: Any, graph: Any = None, import_scope: str | None = None) -> Any:
    """The tensor of a graph that a TensorInfo names.

    >>> with tf.Graph().as_default():
    ...     info = tf.compat.v1.saved_model.build_tensor_info(tf.constant([1.0], name="x"))
    ...     tf.compat.v1.saved_model.get_tensor_from_tensor_info(info).name
    'x:0'
    """
    graph = get_default_graph() if graph is None else graph

    def tensor(name: str) -> Any:
        return graph.get_tensor_by_name(prepend_scope(name, import_scope))

    kind = tensor_info.WhichOneof("encoding")
    if kind == "name":
        return tensor(tensor_info.name)
    if kind == "coo_sparse":
        parts = tensor_info.coo_sparse
        return SparseTensor(
            tensor(parts.indices_tensor_name), tensor(parts.values_tensor_name), tensor(parts.dense_shape_tensor_name)
        )
    if kind == "composite_tensor":
        flat, *splits = [tensor(part.name) for part in tensor_info.composite_tensor.components]
        return RaggedTensor.from_nested_row_splits(flat, splits)
    raise ValueError(f"Invalid TensorInfo.encoding: {kind}. Expected `coo_sparse`, `composite_tensor`, or `name`.")


def element_from_info(tensor_info: Any, graph: Any = None, import_scope: str | None = None) -> Any:
    """The tensor or operation that a TensorInfo names."""
    graph = get_default_graph() if graph is None else graph
    return graph.as_graph_element(prepend_scope(tensor_info.name, import_scope))


@_in_utils("build_signature_def")
def build_signature_def(
    inputs: dict | None = None, outputs: dict | None = None, method_name: str | None = None,
    defaults: dict | None = None,
) -> Any:
    """A SignatureDef of TensorInfos by name.

    >>> tf.compat.v1.saved_model.build_signature_def(method_name="predict").method_name
    'predict'
    """
    signature = SignatureDef()
    for given, target in ((inputs, signature.inputs), (outputs, signature.outputs)):
        for name, info in (given or {}).items():
            target[name].CopyFrom(info)
    if method_name is not None:
        signature.method_name = method_name
    if defaults is not None:
        from reflow.saved_model.in_graph import constant_of

        for name, value in defaults.items():
            tensor = (
                value if isinstance(value, Tensor) else None if hasattr(value, "tensor_shape")
                else convert_to_tensor(value)
            )
            proto = value if tensor is None else encode_tensor(constant_of(tensor)._host())
            signature.defaults[name].CopyFrom(proto)
    return signature


def _build(inputs: dict, outputs: dict, method_name: str) -> Any:
    return build_signature_def(
        {name: build_tensor_info(t) for name, t in inputs.items()},
        {name: build_tensor_info(t) for name, t in outputs.items()},
        method_name,
    )


@_in_utils("predict_signature_def")
def predict_signature_def(inputs: dict, outputs: dict) -> Any:
    """The signature of a model with any named inputs and outputs.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, name="x")
    ...     tf.compat.v1.saved_model.predict_signature_def({"x": x}, {"y": x + 1.0}).method_name
    'tensorflow/serving/predict'
    """
    if not inputs:
        raise ValueError("Prediction `inputs` cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction `outputs` cannot be None or empty.")
    return _build(inputs, outputs, constants.PREDICT_METHOD_NAME)


@_in_utils("regression_signature_def")
def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """The signature of a model from serialized examples to numbers.

    >>> with tf.Graph().as_default():
    ...     x, y = tf.compat.v1.placeholder(tf.string, name="x"), tf.constant([1.0])
    ...     tf.compat.v1.saved_model.regression_signature_def(x, y).method_name
    'tensorflow/serving/regress'
    """
    _check_examples(examples, "Regression")
    if predictions is None:
        raise ValueError("Regression `predictions` cannot be None.")
    _check_kind(predictions, dtypes.float32, "Regression", "predictions", "float32")
    return _build(
        {constants.REGRESS_INPUTS: examples}, {constants.REGRESS_OUTPUTS: predictions}, constants.REGRESS_METHOD_NAME
    )


@_in_utils("classification_signature_def")
def classification_signature_def(examples: Any, classes: Any, scores: Any) -> Any:
    """The signature of a model from serialized examples to classes, scores, or both.

    >>> with tf.Graph().as_default():
    ...     x, y = tf.compat.v1.placeholder(tf.string, name="x"), tf.constant([1.0])
    ...     tf.compat.v1.saved_model.classification_signature_def(x, None, y).method_name
    'tensorflow/serving/classify'
    """
    _check_examples(examples, "Classification")
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    outputs = {}
    if classes is not None:
        _check_kind(classes, dtypes.string, "Classification", "classes", "string Tensor")
        outputs[constants.CLASSIFY_OUTPUT_CLASSES] = classes
    if scores is not None:
        _check_kind(scores, dtypes.float32, "Classification", "scores", "float32")
        outputs[constants.CLASSIFY_OUTPUT_SCORES] = scores
    return _build({constants.CLASSIFY_INPUTS: examples}, outputs, constants.CLASSIFY_METHOD_NAME)


def _check_examples(examples: Any, what: str) -> None:
    if examples is None:
        raise ValueError(f"{what} `examples` cannot be None.")
    if not hasattr(examples, "dtype"):
        raise ValueError(f"{what} `examples` must be a string Tensor. Found `examples` of type {type(examples)}.")
    _check_kind(examples, dtypes.string, what, "examples", "string Tensors")


def _check_kind(tensor: Any, dtype: Any, what: str, name: str, words: str) -> None:
    if dtypes.as_dtype(tensor.dtype) is not dtype:
        raise ValueError(f"{what} {name} must be {words}. Found `{name}` with dtype {tensor.dtype}.")


def supervised_signature_def(
    method_name: str, inputs: dict | None, loss: dict | None = None, predictions: dict | None = None,
    metrics: dict | None = None,
) -> Any:
    """The signature of a graph for training or evaluation."""
    if not inputs:
        raise ValueError(f"{method_name} inputs cannot be None or empty.")
    outputs: dict = {}
    for given in (loss, predictions, metrics):
        outputs.update(given or {})
    return _build(inputs, outputs, method_name)


def supervised_train_signature_def(inputs, loss, predictions=None, metrics=None):
    """The signature of a graph for training."""
    return supervised_signature_def("tensorflow/supervised/training", inputs, loss, predictions, metrics)


def supervised_eval_signature_def(inputs, loss, predictions=None, metrics=None):
    """The signature of a graph for evaluation."""
    return supervised_signature_def("tensorflow/supervised/eval", inputs, loss, predictions, metrics)


def op_signature_def(op: Node, key: str) -> Any:
    """A signature whose one output names an operation: how a SavedModel says what initializes it."""
    return build_signature_def(outputs={key: tensor_info_of_op(op)})


def load_op_from_signature_def(signature_def: Any, key: str, import_scope: str | None = None) -> Any:
    """The operation that an `op_signature_def` names."""
    info = signature_def.outputs[key]
    try:
        return element_from_info(info, import_scope=import_scope)
    except KeyError:
        raise NameError(
            f"The key '{key}' could not be found in the graph. Please make sure the SavedModel was created by the "
            "internal _SavedModelBuilder. If you are using the public API, please make sure the SignatureDef in the "
            f"SavedModel does not contain the key '{key}'."
        ) from None


@_in_utils("is_valid_signature")
def is_valid_signature(signature_def: Any) -> bool:
    """Whether a signature has what TensorFlow Serving asks of its method.

    >>> tf.compat.v1.saved_model.is_valid_signature(tf.compat.v1.saved_model.build_signature_def())
    False
    """
    if signature_def is None or not signature_def.inputs or not signature_def.outputs:
        return False
    kinds = [{k: t.dtype for k, t in part.items()} for part in (signature_def.inputs, signature_def.outputs)]
    text, number = dtypes.string.enum, dtypes.float32.enum
    method = signature_def.method_name
    if method == constants.PREDICT_METHOD_NAME:
        return True
    if method == constants.REGRESS_METHOD_NAME:
        return kinds == [{constants.REGRESS_INPUTS: text}, {constants.REGRESS_OUTPUTS: number}]
    if method == constants.CLASSIFY_METHOD_NAME:
        allowed = {constants.CLASSIFY_OUTPUT_CLASSES: text, constants.CLASSIFY_OUTPUT_SCORES: number}
        fits = bool(kinds[1]) and all(allowed.get(name) == kind for name, kind in kinds[1].items())
        return fits and kinds[0] == {constants.CLASSIFY_INPUTS: text}
    return False


@export("compat.v1.saved_model.signature_def_utils.MethodNameUpdater")
class MethodNameUpdater:
    """Changes the method names of a SavedModel's signatures, which say how TensorFlow Serving calls them.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     module = tf.Module()
    ...     module.double = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec([])])
    ...     tf.saved_model.save(module, folder, signatures={"serving_default": module.double})
    ...     updater = tf.compat.v1.saved_model.signature_def_utils.MethodNameUpdater(folder)
    ...     updater.replace_method_name("serving_default", "tensorflow/serving/regress")
    ...     updater.save()
    """

    def __init__(self, export_dir: Any):
        self._folder = export_dir
        self._model = saved_model_proto.read(export_dir)

    def replace_method_name(self, signature_key: str, method_name: str, tags: Any = None) -> None:
        """Give a signature another method name, in the MetaGraph with some tags or in all."""
        if not signature_key:
            raise ValueError("`signature_key` must be defined.")
        if not method_name:
            raise ValueError("`method_name` must be defined.")
        wanted = {tags} if isinstance(tags, str) else None if tags is None else set(tags)
        found = False
        for meta in self._model.meta_graphs:
            if wanted is None or wanted == set(meta.meta_info_def.tags):
                if signature_key not in meta.signature_def:
                    raise ValueError(
                        f"MetaGraphDef associated with tags {tags} does not have a signature_def "
                        f"with key: '{signature_key}'."
                    )
                meta.signature_def[signature_key].method_name = method_name
                found = True
        if not found:
            raise ValueError(f"MetaGraphDef associated with tags {tags} could not be found in SavedModel.")

    def save(self, new_export_dir: Any = None) -> None:
        """Write `saved_model.pb`, over the old one or to another folder."""
        saved_model_proto.write(new_export_dir or self._folder, self._model.meta_graphs)
