"""`tf.compat.v1.variable_scope` and `get_variable`: variables that are found again by their names.

A graph has one store of named variables. A scope adds a prefix, default arguments, and says whether a name that exists is an
error, the point (`reuse=True`), or either (`AUTO_REUSE`).
"""

from __future__ import annotations

import contextlib
import enum
import math
import weakref

from reflow.api.export import export, export_value
from reflow.api.initializers import RandomUniform, Zeros
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.graph_variables import VariableV1
from reflow.core import dtypes
from reflow.core.context import init_scope, state, swapped
from reflow.core.shapes import TensorShape
from reflow.ops.convert import convert_to_tensor


class Reuse(enum.Enum):
    """What `get_variable` does with a name that exists already."""

    AUTO_REUSE = 1


AUTO_REUSE = export_value(Reuse.AUTO_REUSE, "compat.v1.AUTO_REUSE")


@export("compat.v1.VariableScope")
class VariableScope:
    """A prefix for names, and defaults for `get_variable`."""

    def __init__(self, reuse=False, name="", initializer=None, regularizer=None, dtype=dtypes.float32, constraint=None):
        self.reuse, self.name, self.original_name_scope = reuse, name, name + "/" if name else ""
        self.initializer, self.regularizer, self.dtype, self.constraint = initializer, regularizer, dtype, constraint

    def reuse_variables(self):
        """From now on, names in this scope must exist."""
        self.reuse = True

    def set_initializer(self, initializer):
        self.initializer = initializer

    def set_regularizer(self, regularizer):
        self.regularizer = regularizer

    def set_dtype(self, dtype):
        self.dtype = dtypes.as_dtype(dtype)

    def global_variables(self) -> list:
        return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, self.name)

    def trainable_variables(self) -> list:
        return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, self.name)

    def get_variable(self, store, name, **options):
        return store.get(self, name, **options)


class _Store:
    """A graph's named variables and its stack of scopes."""

    def __init__(self):
        self.variables: dict = {}
        self.scopes = [VariableScope()]
        self.counts: dict = {}

    def unique(self, prefix: str) -> str:
        count = self.counts.get(prefix, 0)
        self.counts[prefix] = count + 1
        return f"{prefix}_{count}" if count else prefix


_stores: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def _store() -> _Store:
    """The store of the current graph. Functions share that of the graph (or the eager code) around them, so that each trace finds
    the variables of the first; a wrapped function has one of its own."""
    graph = state.graph
    while graph is not None and graph.building_function and graph not in _stores:
        graph = graph.outer_graph
    if graph is None:
        with swapped(graph=None):
            graph = get_default_graph()
    return _stores.setdefault(graph, _Store())


def give_own_store(graph):
    """Let the named variables of a function be its own."""
    _stores[graph] = _Store()


@export("compat.v1.get_variable_scope")
def get_variable_scope() -> VariableScope:
    """The innermost variable scope."""
    return _store().scopes[-1]


@export("compat.v1.variable_scope")
@contextlib.contextmanager
def variable_scope(
    name_or_scope,
    default_name=None,
    values=None,
    initializer=None,
    regularizer=None,
    caching_device=None,
    partitioner=None,
    custom_getter=None,
    reuse=None,
    dtype=None,
    use_resource=None,
    constraint=None,
    auxiliary_name_scope=True,
):
    """A scope for the names of variables and of ops.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.variable_scope("layer"):
    ...     v1.get_variable("w", [2]).name
    'layer/w:0'
    """
    for option, given in {"partitioner": partitioner, "custom_getter": custom_getter}.items():
        if given is not None:
            raise ValueError(f"variable_scope: `{option}` is not supported.")
    store = _store()
    outer = store.scopes[-1]
    if name_or_scope is None:
        if default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        name_or_scope = store.unique(f"{outer.name}/{default_name}".lstrip("/")).removeprefix(outer.name).lstrip("/")
        reuse = False if reuse is None else reuse
    given = name_or_scope if isinstance(name_or_scope, VariableScope) else None
    full = given.name if given is not None else f"{outer.name}/{name_or_scope}".lstrip("/")
    base = given or outer
    scope = VariableScope(
        base.reuse if reuse is None else reuse,
        full,
        initializer or base.initializer,
        regularizer or base.regularizer,
        base.dtype if dtype is None else dtypes.as_dtype(dtype),
        constraint or base.constraint,
    )
    if base.reuse is True:
        scope.reuse = True
    store.scopes.append(scope)
    try:
        if auxiliary_name_scope:
            with get_default_graph().scope(full.rpartition("/")[2] if given is None else full):
                yield scope
        else:
            yield scope
    finally:
        store.scopes.remove(scope)


@export("compat.v1.get_variable")
def get_variable(
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=None,
    collections=None,
    caching_device=None,
    partitioner=None,
    validate_shape=True,
    use_resource=None,
    custom_getter=None,
    constraint=None,
    synchronization=None,
    aggregation=None,
):
    """The variable of this name in the current scope: a new one, or if the scope says so the one that exists."""
    for option, given in {"partitioner": partitioner, "custom_getter": custom_getter}.items():
        if given is not None:
            raise ValueError(f"get_variable: `{option}` is not supported.")
    store = _store()
    scope = store.scopes[-1]
    full = f"{scope.name}/{name}".lstrip("/")
    found = store.variables.get(full)
    if found is not None:
        return _found_again(scope, full, found, shape, dtype)
    if scope.reuse is True:
        raise ValueError(
            f"Variable {full} does not exist, or was not created with tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in "
            "VarScope?"
        )
    value, kind = _initial_value(
        full, shape, dtype or scope.dtype, scope.initializer if initializer is None else initializer
    )
    graph = get_default_graph()
    with graph.scope(None):
        variable = VariableV1(
            value,
            trainable=trainable,
            collections=collections,
            validate_shape=validate_shape,
            caching_device=caching_device,
            name=full,
            dtype=kind,
            constraint=constraint or scope.constraint,
            synchronization=synchronization or 0,
            aggregation=aggregation or 0,
        )
    store.variables[full] = variable
    if regularizer or scope.regularizer:
        loss = (regularizer or scope.regularizer)(variable)
        if loss is not None:
            graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return variable


def _found_again(scope, name, variable, shape, dtype):
    if not scope.reuse:
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
        )
    if shape is not None and not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {TensorShape(shape)} and found shape {variable.shape}."
        )
    if dtype is not None and dtypes.as_dtype(dtype) is not variable.dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {dtypes.as_dtype(dtype).name} and found dtype "
            f"{variable.dtype.name}."
        )
    return variable


def _glorot_uniform(shape, dtype):
    """TensorFlow's default: uniform in ±√(6 / (fan in + fan out))."""
    field = math.prod(shape[:-2]) if len(shape) > 2 else 1
    fan_in, fan_out = (shape[-2] * field, shape[-1] * field) if len(shape) > 1 else (math.prod(shape),) * 2
    limit = math.sqrt(6 / max(1.0, fan_in + fan_out))
    return RandomUniform(-limit, limit)(shape, dtype=dtype)


def _initial_value(name, shape, dtype, initializer):
    """The initial value, or a function that makes it, and the dtype."""
    dtype = dtypes.as_dtype(dtype)
    if initializer is None:
        initializer = _glorot_uniform if dtype.kind == "f" else Zeros()
    if isinstance(initializer, type):
        initializer = initializer()
    if not callable(initializer):
        with init_scope():  # the variable lives outside of the function, branch or loop that is being traced
            value = convert_to_tensor(initializer, None if hasattr(initializer, "dtype") else dtype)
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return value, value.dtype
    if shape is None or not TensorShape(shape).is_fully_defined():
        raise ValueError(
            f"The initializer passed is not valid. It should be a callable with no arguments and the shape should not be provided or "
            f"an instance of `tf.keras.initializers.*' and `shape` should be fully defined. (variable {name}, shape {shape})"
        )
    return (lambda: initializer(TensorShape(shape).as_list(), dtype=dtype)), dtype
