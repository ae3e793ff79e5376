"""Helpers for migrating version 1 models: `get_variable` in version 2 layers, and random numbers that both versions
agree on.

A method under `track_tf1_style_variables` has a store of named variables for each object: the first call creates the
variables, later calls find them again, and the object tracks them like its own.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from reflow.compat import variable_scopes
from reflow.eager.module import Module
from reflow.ops import random_state


class _Tracked(variable_scopes.Store):
    """The named variables and layers of one object, which holds them: variables in a module, layers by themselves."""

    def __init__(self, owner: Any) -> None:
        super().__init__()
        self.owner = owner
        self.held = owner._tf1_style_var_store = Module()
        self.layers: dict[str, Any] = {}
        self.penalties: dict[str, Callable[[], Any]] = {}

    def begin(self) -> None:
        """Begin a call: scope counters restart, so existing names are found again."""
        self.scopes, self.counts = [variable_scopes.VariableScope(variable_scopes.AUTO_REUSE)], {}

    def end(self) -> None:
        """End a call: the object holds what is new."""
        for name, variable in self.variables.items():
            if name not in vars(self.held):
                setattr(self.held, name, variable)

    def regularize(self, name: str, variable: Any, regularizer: Callable[[Any], Any]) -> None:
        """The penalty of a variable is a loss of the object, computed when losses are read."""
        if name not in self.penalties:
            self.penalties[name] = functools.partial(regularizer, variable)
            if hasattr(self.owner, "add_loss"):
                self.owner.add_loss(self.penalties[name])


def track_tf1_style_variables(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method of a Keras layer or a `tf.Module` use `tf.compat.v1.get_variable`, `tf.compat.v1.layers` and scopes.

    The object holds the variables; of a layer, regularizers are losses.

    >>> class Dense(tf.keras.layers.Layer):
    ...     @tf.compat.v1.keras.utils.track_tf1_style_variables
    ...     def call(self, x):
    ...         with tf.compat.v1.variable_scope("dense"):
    ...             return tf.matmul(x, tf.compat.v1.get_variable("w", [2, 3]))
    >>> layer = Dense()
    >>> _ = layer(tf.ones([1, 2])), layer(tf.ones([4, 2]))
    >>> [variable.name for variable in layer.weights]
    ['dense/w:0']
    """

    @functools.wraps(method)
    def tracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(self, Module) and not hasattr(self, "add_weight"):
            raise ValueError(
                f"`@tf.compat.v1.keras.utils.track_tf1_style_variables` must be applied to a method of a subclassed "
                "`tf.Module`, `tf.keras.layers.Layer`, or `tf.keras.Model` and which takes `self` as the first "
                f"argument. But, the first argument passed to the decorated method was {self!r}, "
                "which does not extend them."
            )
        store = vars(self).get("_tf1_style_names") or vars(self).setdefault("_tf1_style_names", _Tracked(self))
        store.begin()
        with variable_scopes.using(store):
            result = method(self, *args, **kwargs)
        store.end()
        return result

    return tracked


def get_or_create_layer(name: str, create_layer_method: Callable[[], Any]) -> Any:
    """The Keras layer of this name that an earlier call of the tracked method made, or a new one. Scopes are parts of
    the name.

    Raises:
      ValueError: it is not called in a method under `track_tf1_style_variables`.

    >>> class Twice(tf.keras.layers.Layer):
    ...     @tf.compat.v1.keras.utils.track_tf1_style_variables
    ...     def call(self, x):
    ...         return tf.compat.v1.keras.utils.get_or_create_layer("inner", lambda: tf.keras.layers.Dense(1))(x)
    >>> twice = Twice()
    >>> _ = twice(tf.ones([1, 2])), twice(tf.ones([1, 2]))
    >>> len(twice.weights)
    2
    """
    store = variable_scopes.current_store()
    if not isinstance(store, _Tracked):
        raise ValueError(
            "Tried to call `get_or_create_layer` outside of a method decorated with `track_tf1_style_variables`."
        )
    scope = variable_scopes.get_variable_scope().name
    full = f"{scope}/{name}" if scope else name
    if full not in store.layers:
        store.layers[full] = create_layer_method()
        setattr(store.owner, f"_tf1_style_layer_{full}", store.layers[full])
    return store.layers[full]


class DeterministicRandomTestTool:
    """Gives random ops seeds that do not depend on what else a program does, so that models of both versions can be
    compared.

    Args:
      seed: the global seed.
      mode: "constant": every op has the seeds of the first; "num_random_ops": each has the number of ops before it,
        which may be set, as `operation_seed`, to where another program is.

    >>> tool = tf.compat.v1.keras.utils.DeterministicRandomTestTool()
    >>> with tool.scope():
    ...     bool(tf.reduce_all(tf.random.uniform([2]) == tf.random.uniform([2])))
    True
    """

    def __init__(self, seed: int = 42, mode: str = "constant") -> None:
        if mode not in ("constant", "num_random_ops"):
            raise ValueError(f"Mode arg must be 'constant' or 'num_random_ops'. Got: {mode}")
        self._seed, self._mode = seed, mode
        self.operation_seed = 0
        self._observed: set[int] = set()

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """A block whose random ops get these seeds."""
        random_state.set_seed(self._seed)
        with random_state.chosen_seeds(self._seeds):
            yield

    def _seeds(self, op_seed: int | None) -> tuple[int, int]:
        own = self.operation_seed
        if self._mode == "constant":
            random_state.set_seed(own)
            return self._seed, own
        if own in self._observed:
            raise ValueError(
                f"This `DeterministicRandomTestTool` object is trying to re-use the already-used operation seed {own}. "
                "It cannot guarantee random numbers will match between eager and sessions when an operation seed is "
                "reused. You most likely set `operation_seed` explicitly but used a value that caused the "
                "naturally-incrementing operation seed sequences to overlap with an already-used seed."
            )
        self._observed.add(own)
        self.operation_seed += 1
        return self._seed, own


def install(keras: Any) -> None:
    from reflow.keras.compat.modules import _public

    for value in (track_tf1_style_variables, get_or_create_layer, DeterministicRandomTestTool):
        setattr(_public("utils"), value.__name__, value)
