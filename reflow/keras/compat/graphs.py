"""`tf.keras` models in TensorFlow 1 programs, which build a graph and run it in sessions.

There the weights of a model are variables of the graph, and their values are those of *Keras' session*: the default
session, the one set by `set_session`, or its own. Layers called on placeholders add to the graph. `fit` and everything
else that computes run eagerly: meanwhile each weight is an eager variable that shares its memory with the session's.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from reflow.api.framework.core_names import placeholder as graph_placeholder
from reflow.api.random import sampling
from reflow.compat.behavior import get_default_graph
from reflow.compat.graph_variables import GraphVariable, assign
from reflow.compat.session import BaseSession, Session, get_default_session
from reflow.compat.sessions.programs import program_of
from reflow.core import dtypes
from reflow.core.context import state, swapped
from reflow.core.name_scope import name_scope
from reflow.core.tensor import EagerTensor
from reflow.data.dataset import DatasetV2
from reflow.data.experimental_names import from_variant
from reflow.eager.variables import Variable, outermost_graph
from reflow.graph.graph import SymbolicTensor
from reflow.keras.compat import backend
from reflow.keras.compat.patching import wrap

#: methods that compute, read weights or write them, by the class that has them
_EAGER_METHODS = {
    "Model": (
        "fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch", "save", "export",
        "save_weights", "load_weights",
    ),
    "Layer": ("get_weights", "set_weights"),
}
#: functions that put stored values into the weights of a model that has just been made: (module, name)
_LOADERS = (
    ("keras.src.saving.saving_lib", "_load_state"),
    ("keras.src.legacy.saving.legacy_h5_format", "load_weights_from_hdf5_group"),
    ("keras.src.legacy.saving.legacy_h5_format", "load_weights_from_hdf5_group_by_name"),
)
#: layers that do something else in training
_PHASED = (
    "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianDropout", "GaussianNoise",
    "AlphaDropout", "BatchNormalization",
)  # fmt: skip
_weights: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # graph -> id -> Keras' variable in it
_made: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # graph -> those made by `K.variable`
_seeded: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # graph -> how many seeds were chosen in it
_chosen: list[BaseSession] = []  # by set_session
_own: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # graph -> the session that Keras made


def install(keras: Any) -> None:
    variable = sys.modules["keras.src.backend.tensorflow.core"].Variable

    @wrap(variable, "_initialize")
    def initialize(original, self, value):
        original(self, value)
        if isinstance(self._value, GraphVariable):
            _weights.setdefault(self._value.graph, weakref.WeakValueDictionary())[id(self)] = self

    def of_graph(self):
        """What a session fetches for a weight."""
        return self._value.graph_element() if isinstance(self._value, GraphVariable) else self

    variable._as_graph_element = of_graph
    for owner, names in _EAGER_METHODS.items():
        for name in names:
            wrap(getattr(keras, owner), name)(_run_eagerly)
    _version_one_defaults(keras)
    _seeds()
    _name_scopes(keras, sys.modules["keras.src.backend.tensorflow.core"].name_scope)
    _calls(keras, keras.Layer)
    for path, name in _LOADERS:
        module = sys.modules.get(path)
        if module is not None:
            setattr(module, name, _eager_function(getattr(module, name)))
    _backend_in_graphs(keras)


def _version_one_defaults(keras: Any) -> None:
    """In a graph the accuracy is called `acc`, and `predict` prints nothing, as in TensorFlow 1."""

    @wrap(sys.modules["keras.src.trainers.trainer"].Trainer, "compile")
    def compile(original, self, *args, **kwargs):
        if in_plain_graph() and kwargs.get("metrics") is not None:
            kwargs["metrics"] = keras.tree.map_structure(lambda m: "acc" if m == "accuracy" else m, kwargs["metrics"])
        with eager_weights():  # the state of optimizers and metrics is none of the graph's variables
            return original(self, *args, **kwargs)

    @wrap(keras.Model, "predict")
    def predict(original, self, *args, **kwargs):
        if in_plain_graph() and len(args) < 3:
            kwargs.setdefault("verbose", 0)
        return original(self, *args, **kwargs)


def _seeds() -> None:
    """Layers that draw numbers keep a seed in a variable. In a graph they draw it from the session, as the ops of
    version 1 do, and so that checkpoints have no such variable. Initializers choose theirs by the graph's seed, if it
    has one."""
    module = sys.modules["keras.src.random.seed_generator"]

    @wrap(module.SeedGenerator, "__init__")
    def init(original, self, *args, **kwargs):
        with swapped(graph=None) if in_plain_graph() else contextlib.nullcontext():
            original(self, *args, **kwargs)

    @wrap(module.SeedGenerator, "next")
    def following(original, self, *args, **kwargs):
        if outermost_graph(state.graph) is None:
            return original(self, *args, **kwargs)
        limits = np.iinfo(self.state.dtype)
        return sampling.uniform([2], limits.min, limits.max, self.state.dtype, self._initial_seed)

    choose = module.make_default_seed

    def make_default_seed() -> int:
        graph = outermost_graph(state.graph)
        if graph is None or graph.seed is None:
            return choose()
        place = _seeded[graph] = _seeded.get(graph, 0) + 1
        return int(np.random.RandomState([graph.seed % 2**32, place]).randint(1, 10**9))

    for user in ("keras.src.random.seed_generator", "keras.src.backend.tensorflow.random"):
        vars(sys.modules[user])["make_default_seed"] = make_default_seed


def _calls(keras: Any, layer: Any) -> None:
    """In a graph a call of a layer has one name scope, that of its weights at first; and layers that do something else
    in training ask `learning_phase()` which of both, unless they are told."""
    phased = tuple(getattr(keras.layers, name) for name in _PHASED)

    @wrap(layer, "__call__")
    def call(original, self, *args, **kwargs):
        if state.graph is None or not in_plain_graph():
            return original(self, *args, **kwargs)
        vars(self).setdefault("_scope_in_graph", None)
        try:
            if isinstance(self, phased) and not _told(keras, args, kwargs):
                return _in_either_phase(original, self, args, kwargs)
            return original(self, *args, **kwargs)
        finally:
            vars(self).pop("_scope_in_graph", None)


def _told(keras: Any, args: Any, kwargs: Any) -> bool:
    """Whether a call says what to do, or is none on tensors of the graph."""
    around = sys.modules["keras.src.backend.common.global_state"].get_global_attribute("current_call_ctx")
    given = kwargs.get("training") is not None or getattr(around, "training", None) is not None
    return given or any(isinstance(t, keras.KerasTensor) for t in keras.tree.flatten((args, kwargs)))


def _in_either_phase(call: Any, layer: Any, args: Any, kwargs: Any) -> Any:
    if not layer.built:
        layer.build(tuple(args[0].shape.as_list()))
    return backend.in_train_phase(
        *[functools.partial(call, layer, *args, **(kwargs | {"training": t})) for t in (True, False)]
    )


def _name_scopes(keras: Any, scope: Any) -> None:
    """Keras 3 opens a name scope for the weights of a layer, and one for what it computes."""

    @wrap(scope, "__enter__")
    def enter(original, self):
        graph = state.graph
        if graph is None:
            return original(self)
        layer = self.caller
        if isinstance(layer, keras.Model) and not layer.built and in_plain_graph():
            self._tf_name_scope = name_scope(graph.current_scope) if graph.current_scope else contextlib.nullcontext()
            return original(self)
        if (
            layer is None or not in_plain_graph()
            or "_scope_in_graph" not in vars(layer) and getattr(layer, "built", True)
        ):
            return original(self)
        around, known = graph.current_scope, vars(layer).get("_scope_in_graph")
        if known is not None and known[0]() is graph and known[1] == around:
            self._tf_name_scope = name_scope(known[2])
            return original(self)
        entered = original(self)
        if graph.current_scope != around:  # not already open
            vars(layer)["_scope_in_graph"] = weakref.ref(graph), around, graph.current_scope
        return entered


def in_plain_graph() -> bool:
    """Whether ops are added to a graph that sessions run."""
    return state.graph is not None and not state.graph.building_function


def _run_eagerly(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    if not in_plain_graph():
        return original(self, *args, **kwargs)
    args, kwargs = tuple(map(_eager_data, args)), {name: _eager_data(value) for name, value in kwargs.items()}
    session = get_session()
    if hasattr(self, "train_function") and vars(self).get("_traced_in", lambda: None)() is not session:
        self.train_function = self.test_function = self.predict_function = None  # they hold another session's variables
        vars(self)["_traced_in"] = weakref.ref(session)
    with eager_weights():
        return original(self, *args, **kwargs)


def _eager_data(given: Any) -> Any:
    """A dataset of the graph as one of eager code; all else as it is."""
    if not isinstance(given, DatasetV2):
        return given
    variant, spec = given._variant_tensor, given.element_spec
    value = program_of(get_session(), [variant], []).run([])[0]
    with swapped(graph=None):
        return from_variant(EagerTensor(value, variant.dtype), spec)


def _eager_function(original: Any) -> Any:
    @functools.wraps(original)
    def function(*args, **kwargs):
        with eager_weights():
            return original(*args, **kwargs)

    return function


@contextlib.contextmanager
def eager_weights() -> Iterator[None]:
    """Eager code inside a program that builds a graph; Keras' graph variables are those of its session."""
    if not in_plain_graph():
        yield
        return
    session = get_session()
    held = [(weight, weight._value) for weight in _weights_of(session.graph)]
    for weight, value in held:
        weight._value = _shared(session, value)
    try:
        with swapped(graph=None, tapes=()):
            yield
    finally:
        for weight, value in held:
            weight._value = value


def _shared(session: Any, variable: GraphVariable) -> Variable:
    """A variable of eager code with the memory that a variable of the graph has in a session.

    The same one each time.
    """
    known = vars(session).setdefault("_keras_variables", {})
    if variable not in known:
        twin = Variable.__new__(Variable)
        vars(twin).update({key: value for key, value in vars(variable).items() if key in _FACTS})
        twin._handle = EagerTensor(session.handle(variable._handle.op))
        known[variable] = twin
    return known[variable]


_FACTS = (
    "_synchronization", "_aggregation", "_trainable", "_constraint", "_caching_device", "_dtype", "_dims",
    "_shared_name", "_read_attrs",
)


def get_session(op_input_list: Any = ()) -> Any:
    """Keras' session of the default graph; weights that have no values yet get their first ones."""
    session = get_default_session()
    graph = get_default_graph() if session is None else session.graph
    if session is None:
        named = [s for s in _chosen if s.graph is graph and not s._closed]
        session = named[0] if named else _own.get(graph)
    if session is None or session._closed:
        session = _own[graph] = Session(graph=graph)
    _initialize(session, [*(w._value for w in _weights_of(graph)), *_made.get(graph, ())])
    return session


def set_session(session: Any) -> None:
    """Let `session` be the one in which models' weights have their values, where no session is the default."""
    _chosen[:] = [session]


def _weights_of(graph: Any) -> list:
    """Keras' variables in a graph."""
    return [weight for weight in _weights.get(graph, {}).values() if isinstance(weight._value, GraphVariable)]


def _initialize(session: Any, variables: Iterable[Any]) -> None:
    """Give first values to those variables that have none. A value may be computed from those of other variables."""
    missing = [v for v in variables if session.handle(v._handle.op).cell.buf is None]
    if missing:
        session.run([v.initializer for v in missing])


def get_value(x: Any) -> Any:
    """The value of a variable or tensor, as an array."""
    return batch_get_value([x])[0]


def batch_get_value(tensors: Any) -> list:
    """The values of variables or tensors, as arrays."""
    tensors = [_inner(t) for t in tensors]
    if not in_plain_graph():
        return [np.asarray(t) for t in tensors]
    session = get_session()
    with swapped(graph=None):
        return [session.run(t) if isinstance(t, (SymbolicTensor, GraphVariable)) else np.asarray(t) for t in tensors]


def set_value(x: Any, value: Any) -> None:
    """Give a variable a value."""
    batch_set_value([(x, value)])


def batch_set_value(tuples: Any) -> None:
    """Give variables values: pairs of both."""
    for variable, value in tuples:
        inner = _inner(variable)
        if isinstance(inner, GraphVariable):
            inner.load(np.asarray(value, inner.dtype.as_numpy_dtype), get_session())
            continue
        with swapped(graph=None) if in_plain_graph() else contextlib.nullcontext():
            inner.assign(value)


def _inner(thing: Any) -> Any:
    """The variable behind a Keras variable."""
    return thing._value if isinstance(thing, sys.modules["keras"].Variable) else thing


# --- functions of `tf.keras.backend` ---------------------------------------------------------------------------------

def _backend_in_graphs(keras: Any) -> None:
    """`K.placeholder` and `K.variable` make those of the graph, and the functions between them add ops. What
    `K.function` returns runs in Keras' session, or eagerly if it is a part of a model."""
    module = sys.modules["keras._tf_keras.keras.backend"]
    whole = (get_session, set_session, get_value, set_value, batch_get_value, batch_set_value)
    vars(module).update({function.__name__: function for function in whole})
    local: dict[str, Callable] = {"placeholder": _placeholder, "function": functools.partial(_function, keras)}
    for name, function in (local | dict.fromkeys(_MAKERS.split(), _variable)).items():
        original = vars(module)[name]
        vars(module)[name] = functools.wraps(original)(functools.partial(function, original))
    vars(module)["eval"] = get_value


#: functions that return a variable
_MAKERS = "variable zeros ones zeros_like ones_like eye random_uniform_variable random_normal_variable"


def _variable(original: Callable, *args: Any, **kwargs: Any) -> Any:
    made = original(*args, **kwargs)
    if isinstance(made, GraphVariable):
        _made.setdefault(made.graph, weakref.WeakSet()).add(made)
    return made


def _placeholder(original: Callable, shape=None, ndim=None, dtype=None, sparse=False, name=None, ragged=False) -> Any:
    if not in_plain_graph() or sparse or ragged:
        return original(shape, ndim, dtype, sparse, name, ragged)
    dims = [None] * ndim if shape is None else list(shape)
    return graph_placeholder(dtypes.as_dtype(dtype or sys.modules["keras"].config.floatx()), dims, name)


def _function(
    keras: Any, original: Callable, inputs: Any, outputs: Any, updates: Any = None, name: Any = None, **kwargs: Any
) -> Callable:
    if not in_plain_graph() or kwargs:
        return original(inputs, outputs, updates, name, **kwargs)
    changes = [assign(*change) if isinstance(change, tuple) else change for change in updates or ()]
    if not any(isinstance(tensor, keras.KerasTensor) for tensor in keras.tree.flatten((inputs, outputs))):
        return _of_session(inputs, outputs, changes)
    of_model = original(inputs, outputs, None, name)

    def run(values: Any) -> Any:
        with eager_weights():
            found = of_model(values)
        if changes:
            get_session().run(changes)
        return found

    return run


def _of_session(inputs: Any, outputs: Any, changes: list) -> Callable:
    """A function of a graph's own tensors."""
    places = [i for i, tensor in enumerate(inputs) if isinstance(tensor, SymbolicTensor)]

    def run(values: Any) -> Any:
        feeds = {inputs[i]: values[i] for i in places}
        return get_session().run([outputs, changes], feeds)[0]

    return run
