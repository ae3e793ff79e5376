"""`tensorflow.python.ops.variable_scope`: stores of named variables that a program holds itself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from reflow.compat.behavior import disable_resource_variables, enable_resource_variables, resource_variables_enabled
from reflow.compat.graph_variables import VariableV1
from reflow.compat.partitions.variables import PartitionInfo as _PartitionInfo  # noqa: F401 - its name here
from reflow.compat.variable_scopes import AUTO_REUSE, Store, VariableScope, current_store, get_variable, variable_scope
from reflow.compat.variable_scopes import Reuse as _ReuseMode  # noqa: F401 - its name here
from reflow.compat.variable_scopes import using as with_variable_store
from reflow.core import dtypes
from reflow.eager.variables import Variable

__all__ = [
    "EagerVariableStore", "disable_resource_variables", "enable_resource_variables", "resource_variables_enabled",
    "variable", "with_variable_store",
]  # fmt: skip

variable = VariableV1


class _VariableStore:
    """The named variables of a graph, outside of all scopes."""

    def __init__(self, store: Store | None = None) -> None:
        self._store = Store() if store is None else store

    _vars = property(lambda self: self._store.variables)
    _partitioned_vars = property(lambda self: self._store.partitioned)

    def get_variable(
        self, name: str, shape: Any = None, dtype: Any = dtypes.float32, initializer: Any = None,
        regularizer: Any = None, reuse: Any = None, **options: Any,
    ) -> Any:
        """The variable of a name: a new one, or the one that exists unless `reuse` is False.

        Raises:
            ValueError: it exists and `reuse` is False, or does not exist and `reuse` is True.
        """
        outside = VariableScope(AUTO_REUSE if reuse is None else reuse)
        self._store.scopes.append(outside)
        try:
            with with_variable_store(self._store):
                return get_variable(name, shape, dtype, initializer, regularizer, **options)
        finally:
            self._store.scopes.remove(outside)


def _get_default_variable_store() -> _VariableStore:
    """The store of the default graph."""
    return _VariableStore(current_store())


def _pure_variable_scope(
    name_or_scope: Any, reuse: Any = None, initializer: Any = None, regularizer: Any = None,
    caching_device: Any = None, partitioner: Any = None, custom_getter: Any = None, old_name_scope: str | None = None,
    dtype: Any = None, use_resource: bool | None = None, constraint: Any = None,
) -> contextlib.AbstractContextManager:
    """`variable_scope` without a name scope for ops; `old_name_scope` is the one that it stands for."""
    inner = variable_scope(
        name_or_scope, reuse=reuse, initializer=initializer, regularizer=regularizer, caching_device=caching_device,
        partitioner=partitioner, custom_getter=custom_getter, dtype=dtype, use_resource=use_resource,
        constraint=constraint, auxiliary_name_scope=False,
    )
    return inner if old_name_scope is None else _standing_for(inner, old_name_scope)


@contextlib.contextmanager
def _standing_for(inner: contextlib.AbstractContextManager, name_scope: str) -> Iterator[VariableScope]:
    with inner as scope:
        scope.original_name_scope = name_scope
        yield scope


class EagerVariableStore:
    """Variables of `tf.compat.v1.get_variable` in eager code.

    Inside of `as_default()` a name gives the same variable each time.
    """

    def __init__(self, store: Store | None = None) -> None:
        self._store = Store() if store is None else store

    @contextlib.contextmanager
    def as_default(self) -> Iterator[None]:
        """A `with` block in which named variables are those of this store."""
        self._store.scopes, self._store.counts = [VariableScope(AUTO_REUSE, current_store().scopes[-1].name)], {}
        with with_variable_store(self._store):
            yield

    def variables(self) -> list[Variable]:
        """All variables, by name."""
        return sorted(self._store.variables.values(), key=lambda v: v.name)

    def trainable_variables(self) -> list[Variable]:
        """The variables that are trained, by name."""
        return [v for v in self.variables() if v.trainable]

    def non_trainable_variables(self) -> list[Variable]:
        """The variables that are not trained, by name."""
        return [v for v in self.variables() if not v.trainable]

    def copy(self) -> EagerVariableStore:
        """A store with new variables of the same names and values."""
        other = EagerVariableStore()
        for key, own in self._store.variables.items():
            name = own.name.partition(":")[0]
            other._store.variables[key] = Variable(own.read_value(), name=name, trainable=own.trainable)
        return other
