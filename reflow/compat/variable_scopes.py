"""`tf.compat.v1.variable_scope` and `get_variable`: variables that are shared by name.

A graph has one store of named variables. A scope adds a prefix and default arguments, and says whether an existing name
is an error, required (`reuse=True`), or optional (`AUTO_REUSE`).
"""

from __future__ import annotations

import contextlib
import enum
import functools
import operator
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from reflow.api.export import export, export_value
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.graph_variables import VariableV1
from reflow.compat.initializers import default_initializer, initial_value
from reflow.compat.name_scopes import name_scope
from reflow.compat.partitions.variables import get_partitioned
from reflow.core import dtypes
from reflow.core.context import state, swapped
from reflow.core.shapes import TensorShape
from reflow.eager.variables import variable_creator_scope
from reflow.tracking.trackable import Trackable


class Reuse(enum.Enum):
    """What `get_variable` does with a name that exists already."""

    AUTO_REUSE = 1


AUTO_REUSE = export_value(Reuse.AUTO_REUSE, "compat.v1.AUTO_REUSE")


@export("compat.v1.VariableScope")
class VariableScope:
    """A prefix for names, and defaults for `get_variable`.

    Args:
      reuse: Whether `get_variable` returns variables that exist: True, False, or `tf.compat.v1.AUTO_REUSE`.
      name: The prefix.
      initializer, regularizer, caching_device, partitioner, custom_getter, dtype, constraint: Defaults for
        `get_variable`.
      name_scope, use_resource: Kept as attributes, without effect.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.variable_scope("layer", initializer=tf.compat.v1.ones_initializer()) as scope:
    ...         isinstance(scope, tf.compat.v1.VariableScope), scope.name, scope.reuse
    (True, 'layer', False)
    """

    def __init__(
        self, reuse, name="", initializer=None, regularizer=None, caching_device=None, partitioner=None,
        custom_getter=None, name_scope="", dtype=dtypes.float32, use_resource=None, constraint=None,
    ):
        self.reuse, self.name, self.original_name_scope = reuse, name, name_scope
        self.initializer, self.regularizer, self.dtype, self.constraint = initializer, regularizer, dtype, constraint
        self.custom_getter, self.caching_device, self.partitioner = custom_getter, caching_device, partitioner
        self.use_resource = use_resource

    def reuse_variables(self):
        """From now on, names in this scope must exist."""
        self.reuse = True

    def set_initializer(self, initializer):
        """Sets the default initializer."""
        self.initializer = initializer

    def set_regularizer(self, regularizer):
        """Sets the default regularizer."""
        self.regularizer = regularizer

    def set_custom_getter(self, custom_getter):
        """Sets the default custom getter."""
        self.custom_getter = custom_getter

    def set_caching_device(self, caching_device):
        """Sets the default caching device, which has no effect."""
        self.caching_device = caching_device

    def set_partitioner(self, partitioner):
        """Sets the default partitioner."""
        self.partitioner = partitioner

    def set_use_resource(self, use_resource):
        """Sets an attribute that has no effect: variables are resources."""
        self.use_resource = use_resource

    def set_dtype(self, dtype):
        """Sets the dtype of variables in this scope."""
        self.dtype = dtypes.as_dtype(dtype)

    def get_collection(self, name) -> list:
        """What a collection of the default graph holds of this scope."""
        return get_default_graph().get_collection(name, f"{self.name}/" if self.name else None)

    def global_variables(self) -> list:
        """The global variables of this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list:
        """The local variables of this scope."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def trainable_variables(self) -> list:
        """The trainable variables of this scope."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def child(self, name, given, **options) -> VariableScope:
        """A scope with the defaults of this one where no others are given;
        `given` if it is this scope that is opened again."""
        kept = {key: getattr(self, key) for key in _DEFAULTS} | {k: v for k, v in options.items() if v is not None}
        kept["custom_getter"] = _nested(options["custom_getter"], self.custom_getter)
        return VariableScope(options["reuse"] or self.reuse, name, **{k: v for k, v in kept.items() if k != "reuse"})


#: what nested scopes inherit
_DEFAULTS = ("initializer", "regularizer", "caching_device", "partitioner", "custom_getter", "dtype", "use_resource",
             "constraint")


class Store:
    """A graph's named variables, its stack of scopes, and how often each was opened since the one around it."""

    def __init__(self):
        self.variables: dict = {}
        self.partitioned: dict = {}
        self.scopes = [VariableScope(False)]
        self.counts: dict = {}

    def open(self, scope: VariableScope) -> None:
        self.counts[scope.name] = self.counts.get(scope.name, 0) + 1
        self.scopes.append(scope)

    def close(self, scope: VariableScope) -> None:
        self.scopes.remove(scope)
        for name in self.counts:
            if name.startswith(f"{scope.name}/"):
                self.counts[name] = 0

    def unique(self, name: str) -> str:
        """`name`, or `name_1`, `name_2`… if the innermost scope has opened it already."""
        outer = self.scopes[-1].name
        full, number = f"{outer}/{name}" if outer else name, 0
        while self.counts.get(f"{full}_{number}" if number else full):
            number += 1
        return f"{name}_{number}" if number else name


    def regularize(self, name: str, variable: Any, regularizer: Callable[[Any], Any]) -> None:
        """Add a variable's penalty to the losses of the graph."""
        add_regularization(name, variable, regularizer)


_stores: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_used: list[Store] = []  # stores of objects whose methods are running (`keras/compat/migration.py`), innermost last


@contextlib.contextmanager
def using(store: Store) -> Iterator[None]:
    """Let variables be those of another store than the graph's."""
    _used.append(store)
    try:
        yield
    finally:
        _used.remove(store)


def current_store() -> Store:
    """The store of the current graph. Functions share that of the graph (or the eager code) around them, so that each
    trace finds the variables of the first; a wrapped function has one of its own."""
    if _used:
        return _used[-1]
    graph = state.graph
    while graph is not None and graph.building_function and graph not in _stores:
        graph = graph.parent
    if graph is None:
        with swapped(graph=None):
            graph = get_default_graph()
    return _stores.setdefault(graph, Store())


def give_own_store(graph):
    """Let the named variables of a function be its own."""
    _stores[graph] = Store()


@export("compat.v1.get_variable_scope")
def get_variable_scope() -> VariableScope:
    """Returns the innermost variable scope, a `tf.compat.v1.VariableScope`.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.variable_scope("outer"), tf.compat.v1.variable_scope("inner"):
    ...         tf.compat.v1.get_variable_scope().name
    'outer/inner'
    """
    return current_store().scopes[-1]


@export("compat.v1.variable_scope")
@contextlib.contextmanager
def variable_scope(
    name_or_scope, default_name=None, values=None, initializer=None, regularizer=None, caching_device=None,
    partitioner=None, custom_getter=None, reuse=None, dtype=None, use_resource=None, constraint=None,
    auxiliary_name_scope=True,
):
    """Opens a scope for the names of variables and of ops.

    Args:
      name_or_scope: A name, or a scope to open again.
      default_name: The name if `name_or_scope` is None; a number makes it unique.
      values: Tensors that the block uses.
      initializer, regularizer, caching_device, partitioner, custom_getter, dtype, constraint: Defaults in the block.
      reuse: Whether `get_variable` returns variables that exist: True, `tf.compat.v1.AUTO_REUSE`, or None for what is
        outside.
      use_resource: Kept, without effect.
      auxiliary_name_scope: Whether a name scope for ops is opened too.

    Returns:
      A context manager, which gives the `tf.compat.v1.VariableScope`.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.variable_scope("layer"):
    ...     v1.get_variable("w", [2]).name
    'layer/w:0'
    """
    if name_or_scope is None and default_name is None:
        raise TypeError("If default_name is None then name_or_scope is required")
    if name_or_scope is None and reuse:
        raise ValueError("reuse=True cannot be used without a name_or_scope")
    graph, store = get_default_graph(), current_store()
    outer = store.scopes[-1]
    given = name_or_scope if isinstance(name_or_scope, VariableScope) else None
    label = (given.name.rpartition("/")[2] if given is not None else default_name if name_or_scope is None
             else name_or_scope)
    with contextlib.ExitStack() as stack:
        opened = None
        if auxiliary_name_scope and label:
            opened = stack.enter_context(name_scope(label, values=values))
        if name_or_scope is None:
            label = store.unique(default_name)
        full = given.name if given is not None else "/".join(part for part in (outer.name, label) if part)
        options = {
            "initializer": initializer, "regularizer": regularizer, "caching_device": caching_device,
            "partitioner": partitioner, "custom_getter": custom_getter,
            "dtype": None if dtype is None else dtypes.as_dtype(dtype), "constraint": constraint,
            "use_resource": use_resource, "reuse": reuse,
        }
        scope = (given or outer).child(full, given, **options)
        if given is not None:
            scope.original_name_scope = given.original_name_scope
        else:
            scope.original_name_scope = opened or (f"{graph.get_name_scope()}/" if graph.get_name_scope() else "")
        counts = dict(store.counts)
        store.open(scope)
        try:
            yield scope
        finally:
            store.close(scope)
            if given is not None:  # opened again, a scope numbers those inside it as it did at first
                store.counts = counts


@export("compat.v1.variable_op_scope")
def variable_op_scope(
    values, name_or_scope, default_name=None, initializer=None, regularizer=None, caching_device=None, partitioner=None,
    custom_getter=None, reuse=None, dtype=None, use_resource=None, constraint=None,
):
    """The older form of `variable_scope`: the values come first.

    Args:
      values, name_or_scope, default_name, initializer, regularizer, caching_device, partitioner, custom_getter, reuse,
        dtype, use_resource, constraint: As in `variable_scope`.

    Returns:
      A context manager, which gives the `tf.compat.v1.VariableScope`.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1.0)
    ...     with tf.compat.v1.variable_op_scope([x], None, "layer"):
    ...         tf.compat.v1.get_variable("v", [2]).name
    'layer/v:0'
    """
    return variable_scope(
        name_or_scope, default_name, values, initializer, regularizer, caching_device, partitioner, custom_getter,
        reuse, dtype, use_resource, constraint,
    )


@export("compat.v1.get_variable")
def get_variable(
    name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, collections=None,
    caching_device=None, partitioner=None, validate_shape=True, use_resource=None, custom_getter=None, constraint=None,
    synchronization=None, aggregation=None,
):
    """Returns the variable of this name in the current scope: a new one, or if the scope says so the one that exists.

    Args:
      name: The name, to which that of the scope is prepended.
      shape: The shape, unless the initializer is a value.
      dtype: The dtype, float32 by default.
      initializer: A value, an initializer, or a function without arguments; by default Glorot's uniform one, or zeros
        for integers.
      regularizer: A function of the variable whose result is added to the regularization losses.
      trainable: Whether optimizers change it; True by default.
      collections: The collections of the graph to which it is added.
      partitioner: A function that says into how many parts each axis is cut.
      validate_shape: Whether the shape must be known.
      use_resource: Has no effect: all variables are resources.
      custom_getter: A function that is called in place of this one, with the true getter as first argument.
      caching_device, constraint, synchronization, aggregation: As in `tf.Variable`.

    Returns:
      A variable, or with a partitioner a `PartitionedVariable`.

    Raises:
      ValueError: It exists and the scope does not reuse it, or the other way round; or shape, dtype and initializer do
        not fit.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.variable_scope("layer"):
    ...         weights = tf.compat.v1.get_variable("weights", [3, 2])
    ...     with tf.compat.v1.variable_scope("layer", reuse=True):
    ...         tf.compat.v1.get_variable("weights", [3, 2]) is weights
    True
    """
    scope = current_store().scopes[-1]
    options = {
        "shape": shape,
        "dtype": dtype or scope.dtype,
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": regularizer or scope.regularizer,
        "trainable": trainable,
        "collections": collections,
        "caching_device": caching_device or scope.caching_device,
        "validate_shape": validate_shape,
        "constraint": constraint or scope.constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
        "partitioner": scope.partitioner if partitioner is None else partitioner,
    }
    full = "/".join(part for part in (scope.name, name) if part)
    getter = _nested(custom_getter, scope.custom_getter)
    if getter is None:
        return _get(full, asked=dtype is not None, **options)
    return getter(_get, full, reuse=scope.reuse, use_resource=use_resource, **options)


def _nested(inner, outer):
    """Nested custom getters: the inner one is called first, with the outer one as its getter."""
    if inner is None or outer is None:
        return inner or outer
    return lambda getter, *args, **kwargs: inner(functools.partial(outer, getter), *args, **kwargs)


def _get(
    name, shape=None, dtype=dtypes.float32, initializer=None, regularizer=None, trainable=None, collections=None,
    caching_device=None, validate_shape=True, constraint=None, synchronization=None, aggregation=None, reuse=None,
    use_resource=None, partitioner=None, asked=True,
):
    """The variable of a full name: what a custom getter gets as its getter."""
    store, full = current_store(), name
    reuse = store.scopes[-1].reuse
    # in eager code names find nothing: each call makes a variable
    if state.graph is None and not _used and not _called:
        store, reuse = Store(), False
    if partitioner is not None and _rank(shape, initializer) != 0:
        make = functools.partial(
            _get, regularizer=regularizer, trainable=trainable, collections=collections, caching_device=caching_device,
            validate_shape=validate_shape, constraint=constraint, synchronization=synchronization,
            aggregation=aggregation,
        )
        initializer = default_initializer(full, dtype) if initializer is None else initializer
        return get_partitioned(store, reuse, make, full, shape, dtype, initializer, partitioner)
    if f"{full}/part_0" in store.variables:
        raise ValueError(
            f"No partitioner was provided, but a partitioned version of the variable was found: {full}/part_0. Perhaps "
            "a variable of the same name was already created with partitioning?"
        )
    found = store.variables.get(full)
    if found is not None:
        return _found_again(reuse, full, found, shape, dtype if asked else None)
    if reuse is True:
        raise ValueError(
            f"Variable {full} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    value, kind = initial_value(full, shape, dtype, initializer, asked)
    with get_default_graph().scope(None), swapped(name_scope=""):
        variable = VariableV1(
            value, trainable=trainable, collections=collections, validate_shape=validate_shape,
            caching_device=caching_device, name=full, dtype=kind, constraint=constraint,
            synchronization=synchronization or 0, aggregation=aggregation or 0,
        )
    store.variables[full] = variable
    if regularizer:
        store.regularize(full, variable, regularizer)
    return variable


def _rank(shape, initializer) -> int | None:
    """The rank of a variable that will be created, if it is known."""
    if shape is not None:
        return TensorShape(shape).rank
    return None if initializer is None or callable(initializer) else np.ndim(initializer)


def add_regularization(name, variable, regularizer) -> None:
    """Add a variable's penalty to the losses of its graph."""
    graph = get_default_graph()
    with graph.scope(f"{name}/Regularizer/"):
        loss = regularizer(variable)
    if loss is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


def _found_again(reuse, name, variable, shape, dtype):
    if not reuse:
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    if shape is not None and not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {TensorShape(shape)} and "
            f"found shape {variable.shape}."
        )
    if dtype is not None and dtypes.as_dtype(dtype) is not variable.dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {dtypes.as_dtype(dtype).name} and found dtype "
            f"{variable.dtype.name}."
        )
    return variable


@export("compat.v1.get_local_variable")
def get_local_variable(
    name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=False, collections=None,
    caching_device=None, partitioner=None, validate_shape=True, use_resource=None, custom_getter=None, constraint=None,
    synchronization=None, aggregation=None,
):
    """The same as `get_variable`, for a variable that is neither saved nor trained.

    Args:
      name, shape, dtype, initializer, regularizer, collections, caching_device, partitioner, validate_shape,
        use_resource, custom_getter, constraint, synchronization, aggregation: As in `get_variable`.
      trainable: Has no effect.

    Returns:
      A variable in the collection of local variables.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_local_variable("seen", [2])
    ...     len(tf.compat.v1.global_variables()), len(tf.compat.v1.local_variables())
    (0, 1)
    """
    keys = [*(collections or ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(
        name, shape, dtype, initializer, regularizer, False, keys, caching_device, partitioner, validate_shape,
        use_resource, custom_getter, constraint, synchronization, aggregation,
    )


@export("compat.v1.no_regularizer")
def no_regularizer(_):
    """Adds no loss: a regularizer for a variable in a scope that has another one.

    Args:
      _: The variable.

    Returns:
      None.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.variable_scope("layer", regularizer=tf.nn.l2_loss):
    ...         weights = tf.compat.v1.get_variable("weights", [2])
    ...         bias = tf.compat.v1.get_variable("bias", [2], regularizer=tf.compat.v1.no_regularizer)
    ...     len(tf.compat.v1.losses.get_regularization_losses())
    1
    """
    return None


@export("compat.v1.make_template")
def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    """Wraps a function so that its variables are created by the first call and shared by the others.

    Args:
      name_: The name of the scope of the variables.
      func_: The function.
      create_scope_now_: Whether the scope gets its name now, not in the first call.
      unique_name_: A name that is used as it is, without a number that makes it unique.
      custom_getter_: As in `get_variable`.
      **kwargs: Arguments that the function always gets.

    Returns:
      A callable object.

    >>> with tf.Graph().as_default():
    ...     scale = tf.compat.v1.make_template("scale", lambda x: x * tf.compat.v1.get_variable("w", []))
    ...     _ = scale(1.0), scale(2.0)
    ...     [v.name for v in tf.compat.v1.global_variables()]
    ['scale/w:0']
    """
    function = functools.partial(func_, **kwargs) if kwargs else func_
    return Template(name_, function, create_scope_now_, unique_name_, custom_getter_)


#: the templates that are being called, innermost last
_called: list[Template] = []


@contextlib.contextmanager
def capture_dependencies(template: Template):
    """Let a template track the variables that are made in this block, under their names in its scope."""
    prefix = f"{template.variable_scope.name}/"

    def track(next_creator, name=None, **kwargs):
        variable = next_creator(name=name, **kwargs)
        if name is not None and name.startswith(prefix):
            inner = _called[_called.index(template) + 1 :]
            if not inner:
                template._track_trackable(variable, name=name.removeprefix(prefix))
            elif inner[0].variable_scope.name.startswith(prefix):
                template._track_trackable(inner[0], name=inner[0].variable_scope.name.removeprefix(prefix),
                                          overwrite=True)
        return variable

    _called.append(template)
    try:
        with variable_creator_scope(track):
            yield
    finally:
        _called.pop()


class Template(Trackable):
    """What `make_template` returns. Its children are the variables that it made, and the templates that it called."""

    def __init__(self, name, function, create_scope_now=False, unique_name=None, custom_getter=None):
        self._name, self._function, self._unique, self._getter = name, function, unique_name, custom_getter
        self._scope: VariableScope | None = None
        self._called = False
        if create_scope_now:
            with self._opened() as scope:
                self._scope = scope

    def _opened(self):
        if self._scope is not None:
            return variable_scope(self._scope, reuse=self._called or None)
        if self._unique is not None:
            return variable_scope(self._unique, custom_getter=self._getter)
        return variable_scope(None, default_name=self._name, custom_getter=self._getter)

    def __call__(self, *args, **kwargs):
        with self._opened() as scope:
            self._scope = self._scope or scope
            self._join_caller()
            with capture_dependencies(self):
                result = self._function(*args, **kwargs)
        self._called = True
        return result

    def _join_caller(self):
        """Become a child of the template whose function calls this one."""
        caller = _called[-1] if _called else None
        if caller is not None and self._scope is not None and not self._called:
            caller._track_trackable(self, name=self._scope.name.removeprefix(f"{caller.variable_scope.name}/"))

    variable_scope = var_scope = property(lambda self: self._scope)
    variable_scope_name = property(lambda self: self._scope and f"{self._scope.name}/".lstrip("/"))
    name, func = (property(operator.attrgetter(kept)) for kept in ("_name", "_function"))
    global_variables = property(lambda self: self._scope.global_variables() if self._scope else [])
    local_variables = property(lambda self: self._scope.local_variables() if self._scope else [])
    variables = weights = property(lambda self: self.global_variables + self.local_variables)
    trainable_variables = property(lambda self: self._scope.trainable_variables() if self._scope else [])
    trainable_weights = trainable_variables
    non_trainable_variables = property(lambda self: [v for v in self.variables if v not in self.trainable_variables])
    non_trainable_weights = non_trainable_variables
