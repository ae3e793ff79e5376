"""`tensorflow.python.ops.variable_scope`: stores of named variables that a program holds itself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from reflow.compat.partitions.variables import PartitionInfo as _PartitionInfo  # noqa: F401 - its name here
from reflow.compat.variable_scopes import AUTO_REUSE, Store, VariableScope, current_store
from reflow.compat.variable_scopes import using as with_variable_store
from reflow.eager.variables import Variable


class EagerVariableStore:
    """Variables of `tf.compat.v1.get_variable` in eager code: inside of `as_default()` a name gives the same variable each time."""

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
        return sorted(self._store.variables.values(), key=lambda variable: variable.name)

    def trainable_variables(self) -> list[Variable]:
        """Those that are trained."""
        return [variable for variable in self.variables() if variable.trainable]

    def non_trainable_variables(self) -> list[Variable]:
        """Those that are not trained."""
        return [variable for variable in self.variables() if not variable.trainable]

    def copy(self) -> EagerVariableStore:
        """A store with new variables of the same names and values."""
        other = EagerVariableStore()
        for key, variable in self._store.variables.items():
            name = variable.name.partition(":")[0]
            other._store.variables[key] = Variable(variable.read_value(), name=name, trainable=variable.trainable)
        return other
