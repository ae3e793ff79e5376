"""`tensorflow.python.ops.variables`: variables in parts, and how variables are kept and added up."""

from __future__ import annotations

from typing import Any

from reflow.compat.graph_variables import VariableV1
from reflow.compat.partitions.variables import PartitionedVariable
from reflow.eager.variable_enums import VariableAggregation, VariableSynchronization

__all__ = ["PartitionedVariable", "VariableV1"]


def validate_synchronization_aggregation_trainable(
    synchronization: Any, aggregation: Any, trainable: bool | None, name: Any
) -> tuple:
    """(synchronization, aggregation, trainable) with their defaults in the place of None.

    ValueError for what is no such mode.
    """
    try:
        aggregation = (
            VariableAggregation.NONE if aggregation is None
            else VariableAggregation(getattr(aggregation, "value", aggregation))
        )
    except ValueError:
        raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}") from None
    try:
        synchronization = (
            VariableSynchronization.AUTO if synchronization is None else VariableSynchronization(synchronization)
        )
    except ValueError:
        raise ValueError(f"Invalid variable synchronization mode: {synchronization} for variable: {name}") from None
    return (
        synchronization, aggregation,
        synchronization != VariableSynchronization.ON_READ if trainable is None else trainable,
    )
