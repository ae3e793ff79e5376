"""`Layer`: constructor arguments, `add_weight`, shapes, `tf.Variable` attributes, AutoGraph in `call`."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from reflow.api.autograph import status as autograph
from reflow.core.context import state
from reflow.eager.module import Module
from reflow.eager.variables import Variable
from reflow.keras.compat.patching import Fallback, is_keras_class, on_subclass, wrap

#: parameters of Keras 2's `add_weight`, in order
_ADD_WEIGHT = (
    "name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint", "use_resource",
    "synchronization", "aggregation",
)
#: what Keras 2 passed on to TensorFlow 1's variables, which has no meaning here
_GONE = ("use_resource", "synchronization", "partitioner", "collections")


def install(keras) -> None:
    layer = keras.layers.Layer
    _arguments(keras, layer)
    _weights(layer)
    _losses(layer)
    _attributes(keras, layer)
    _output_shape(keras, layer)
    _calls(keras, layer)
    on_subclass(layer, _initial_state)
    _autograph(layer)


# --- constructor


def _arguments(keras, layer):
    @wrap(layer, "__init__")
    def init(original, self, *args, **kwargs):
        batch_shape, weights = kwargs.pop("batch_input_shape", None), kwargs.pop("weights", None)
        dynamic = kwargs.pop("dynamic", False)
        if "batch_size" in kwargs and "input_shape" in kwargs:
            batch_shape = (kwargs.pop("batch_size"), *kwargs.pop("input_shape"))
        original(self, *args, **kwargs)
        if dynamic:
            self.dynamic = True
        if batch_shape is not None:
            self._batch_input_shape = tuple(batch_shape)
        if weights is not None:
            _set_after_build(self, weights)

    @wrap(keras.Sequential, "add")
    def add(original, self, layer, *args, **kwargs):
        shape = getattr(layer, "_batch_input_shape", None)
        of_strings = "string" if getattr(layer, "compute_dtype", None) == "string" else None  # as is its input
        if of_strings and getattr(layer, "_input_shape_arg", None) is not None:
            shape = (None, *layer._input_shape_arg)
        if shape is not None and not self.layers:
            original(self, keras.layers.InputLayer(batch_shape=shape, dtype=of_strings), *args, **kwargs)
        return original(self, layer, *args, **kwargs)

    @wrap(keras.layers.Embedding, "__init__")
    def embedding(original, self, *args, **kwargs):
        length = kwargs.pop("input_length", None)
        original(self, *args, **kwargs)
        if length is not None:
            self._batch_input_shape = (None, *(length if isinstance(length, (list, tuple)) else (length,)))


def _set_after_build(layer, weights):
    """`weights=`: initial values, in the order of `layer.weights`."""
    build = layer.build

    @functools.wraps(build)
    def build_with_values(*args, **kwargs):
        build(*args, **kwargs)
        layer.set_weights(weights)

    layer.build = build_with_values


# --- weights


def _weights(layer):
    @wrap(layer, "add_weight")
    def add_weight(original, self, *args, **kwargs):
        if args and (isinstance(args[0], str) or args[0] is None):
            kwargs = dict(zip(_ADD_WEIGHT, args)) | kwargs
            args = ()
        getter = kwargs.pop("getter", None)
        if getter is not None:
            return _hold(self, getter(**kwargs))
        for name in _GONE:
            kwargs.pop(name, None)
        if "experimental_autocast" in kwargs:
            kwargs["autocast"] = kwargs.pop("experimental_autocast")
        if "aggregation" in kwargs and not isinstance(kwargs["aggregation"], str):
            kwargs["aggregation"] = getattr(kwargs["aggregation"], "name", "none").lower()
        if kwargs.get("trainable", True) is None:
            del kwargs["trainable"]
        return original(self, *args, **kwargs)

    @wrap(layer, "add_variable")
    def add_variable(original, self, *args, **kwargs):
        if args and not isinstance(args[0], str):
            return original(self, *args, **kwargs)
        return self.add_weight(*args, **kwargs)

    Variable.regularizer = None  # type: ignore[attr-defined]  # Keras asks every weight
    for name in ("variables", "weights"):
        setattr(layer, name, _with_tensorflow_variables(getattr(layer, name)))
        setattr(layer, f"trainable_{name}", _trainable(getattr(layer, f"trainable_{name}")))
        setattr(layer, f"non_trainable_{name}", _not_trainable(getattr(layer, f"non_trainable_{name}"), name))

    @wrap(layer, "_lock_state")
    def lock_state(original, self):
        """User-defined layers may create state in `call`."""
        if is_keras_class(type(self)):
            original(self)


def _hold(layer, variable):
    """`add_weight(getter=…)`: a variable that exists already becomes a weight; TensorFlow Hub's layer does so."""
    if not hasattr(layer, "_held_variables"):
        layer._held_variables = []
    layer._held_variables.append(variable)
    return variable


def _losses(layer):
    """`add_loss` of a function of nothing: computed whenever `losses` is read."""

    @wrap(layer, "add_loss")
    def add_loss(original, self, loss):
        if not callable(loss):
            return original(self, loss)
        vars(self).setdefault("_loss_functions", []).append(loss)
        return None

    @wrap(layer, "_get_own_losses")
    def own_losses(original, self):
        functions = vars(self).get("_loss_functions")
        return original(self) if functions is None else original(self) + [f() for f in functions]


def _with_tensorflow_variables(original: Any) -> property:
    """The list with the `tf.Variable`s that a user-defined layer holds."""

    def read(self):
        found = original.fget(self)
        if is_keras_class(type(self)):
            return found
        seen = {id(v) for v in found}
        own = {id(v): v for v in _variables_in(vars(self).values(), 2)}
        return found + [v for key, v in own.items() if key not in seen]

    return property(read, doc=original.__doc__)


def _trainable(original: Any) -> property:
    """The list without the `tf.Variable`s of layers inside whose `trainable` is False. Keras' own variables know."""

    def read(self):
        found = original.fget(self)
        frozen = _frozen(self, found)
        return [v for v in found if id(v) not in frozen] if frozen else found

    return property(read, doc=original.__doc__)


def _not_trainable(original: Any, of: str) -> property:
    def read(self):
        everything = getattr(self, of)
        frozen = _frozen(self, everything)
        if not frozen:
            return original.fget(self)
        return [v for v in everything if not v.trainable or id(v) in frozen]

    return property(read, doc=original.__doc__)


def _frozen(layer, variables) -> set[int]:
    """The identities of `tf.Variable`s, if there are any among `variables`, that belong to frozen layers."""
    if not any(isinstance(v, Variable) for v in variables):
        return set()
    layers = [part for part in layer._flatten_layers() if not part.trainable]
    return {id(v) for part in layers for v in _variables_in(vars(part).values(), 2)}


def _variables_in(values, depth: int):
    """The variables among some attributes: themselves, in modules, and in lists and dicts."""
    for value in values:
        if isinstance(value, Variable):
            yield value
        elif isinstance(value, Module):
            yield from value.variables
        elif depth and isinstance(value, (list, tuple)):
            yield from _variables_in(value, depth - 1)
        elif depth and isinstance(value, dict):
            yield from _variables_in(value.values(), depth - 1)


# --- attributes


def _attributes(keras, layer):
    def shape_of(tensors):
        if isinstance(tensors, (list, tuple)):
            return [tuple(t.shape) for t in tensors]
        return {k: tuple(t.shape) for k, t in tensors.items()} if isinstance(tensors, dict) else tuple(tensors.shape)

    def reader(of: str, doc: str):
        def read(self):
            if not self._inbound_nodes:
                raise AttributeError(
                    f"The layer {self.name!r} has never been called and thus has no defined {of}_shape."
                )
            return shape_of(getattr(self, of))

        read.__doc__ = doc
        return Fallback(read)

    layer.input_shape = reader("input", "The shape of the inputs that the layer was called on.")
    layer.output_shape = reader("output", "The shape of the layer's outputs.")
    layer.dynamic = Fallback(lambda self: False)
    for of in ("input", "output"):
        setattr(keras.Sequential, of, _of_functional(of))
    keras.layers.InputLayer.input = property(lambda self: self.output, doc="The tensor that it stands for.")


def _of_functional(of: str) -> property:
    """`input` and `output` of a `Sequential` model that is built and was not called."""

    def read(self):
        if self._inbound_nodes or self._functional is None:
            return self._get_node_attribute_at_index(0, f"{of}_tensors", of)
        return getattr(self._functional, of)

    return property(read, doc=f"The {of} of the model.")


def _output_shape(keras, layer):
    """The default `compute_output_shape` of a built layer traces `call`; Keras 3's raises."""

    @wrap(layer, "compute_output_shape")
    def compute_output_shape(original, self, *args, **kwargs):
        if len(args) != 1 or kwargs or not self.built:
            return original(self, *args, **kwargs)
        inputs = keras.tree.map_shape_structure(lambda s: keras.KerasTensor(s, dtype=self.input_dtype), args[0])
        outputs = keras.Operation.compute_output_spec(self, inputs)
        return keras.tree.map_structure(lambda t: t.shape, outputs)


# --- calls


def _calls(keras, layer):
    """`layer(x, True)`: positional arguments that are not tensors; `call(self, x, training)` without a default."""

    @wrap(layer, "__call__")
    def call(original, self, *args, **kwargs):
        if len(args) > 1:
            args, kwargs = _tensors_first(keras, self, args, kwargs)
        own: Any = type(self)
        for place, name in _needed(own):
            if place >= len(args):
                kwargs.setdefault(name, None)
        return original(self, *args, **kwargs)


def _tensors_first(keras, layer, args, kwargs):
    """The arguments with the first non-tensor, and all after it, passed by name."""
    own: Any = type(layer)
    names = list(_signature(own))
    for place, value in enumerate(args[: len(names)]):
        if place and not all(v is None or hasattr(v, "dtype") for v in keras.tree.flatten(value)):
            return args[:place], dict(zip(names[place:], args[place:])) | kwargs
    return args, kwargs


@functools.cache
def _signature(cls) -> dict:
    """Parameters of `call` that can be given by position, without `self`."""
    if isinstance(cls.call, types.FunctionType):
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return {k: p for k, p in list(inspect.signature(cls.call).parameters.items())[1:] if p.kind in kinds}
    return {}


@functools.cache
def _needed(cls) -> tuple[tuple[int, str], ...]:
    """Which of `training` and `mask` a user's `call` requires, and their places: Keras 2 gave them unasked."""
    if is_keras_class(cls):
        return ()
    required = [(i, n) for i, (n, p) in enumerate(_signature(cls).items()) if p.default is inspect.Parameter.empty]
    return tuple((place, name) for place, name in required if place and name in ("training", "mask"))


def _initial_state(cls):
    """`get_initial_state(inputs, batch_size, dtype)` of a cell: Keras 3 gives the batch size only."""
    original = cls.__dict__.get("get_initial_state")
    if is_keras_class(cls) or not isinstance(original, types.FunctionType):
        return
    if "dtype" not in inspect.signature(original).parameters:
        return

    @functools.wraps(original)
    def get_initial_state(self, *args, **kwargs):
        given = inspect.signature(original).bind(self, *args, **kwargs).arguments
        if given.get("dtype") is None and given.get("inputs") is None:
            kwargs["dtype"] = self.compute_dtype
        return original(self, *args, **kwargs)

    cls.get_initial_state = get_initial_state


# --- AutoGraph


def _autograph(layer):
    """`call` of user-defined classes is converted when it is traced, as in Keras 2."""

    def convert(cls):
        call = cls.__dict__.get("call")
        if callable(call) and not is_keras_class(cls) and not hasattr(call, "autograph_info__"):
            cls.call = _converted(call)

    on_subclass(layer, convert)


def _converted(call):
    if not hasattr(call, "__code__"):  # a tf.function, or another object that is called
        return call

    @functools.wraps(call)
    def convert_when_traced(self, *args, **kwargs):
        if state.graph is None:
            return call(self, *args, **kwargs)
        return autograph.convert_for_autograph(call)(self, *args, **kwargs)

    return autograph.autograph_artifact(convert_when_traced)
