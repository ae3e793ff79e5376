"""`tensorflow.python.ops.variable_scope`: stores of named variables that a program holds itself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from reflow.compat.behavior import disable_resource_variables, enable_resource_variables, resource_variables_enabled
from reflow.compat.graph_variables import VariableV1
from reflow.compat.partitions.variables import PartitionInfo as _PartitionInfo  # noqa: F401 - its name here
from reflow.compat.variable_scopes import AUTO_REUSE, Store, VariableScope, current_store
from reflow.compat.variable_scopes import using as with_variable_store
from reflow.eager.variables import Variable

__all__ = [
    "EagerVariableStore", "disable_resource_variables", "enable_resource_variables", "resource_variables_enabled",
    "variable", "with_variable_store",
]  # fmt: skip

variable = VariableV1

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
