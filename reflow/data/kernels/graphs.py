"""Records of the ops that write a dataset as a graph and make it from one."""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.data.engine import external_state, recipes
from reflow.data.kernels.dataset import dataset_op
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op


def _graph(dataset, policy: int, strip_devices: bool) -> np.ndarray:
    try:
        external_state.check(dataset, policy)
    except errors.FailedPreconditionError as error:
        raise errors.FailedPreconditionError(
            None, None, f"Failed to serialize the input pipeline graph: {error.message}"
        ) from None
    return np.array(recipes.serialized(dataset, strip_devices), object)


@op("DatasetToGraphV2", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def dataset_to_graph(_, input_dataset, external_state_policy=external_state.WARN, strip_device_assignment=False):
    return _graph(input_dataset, external_state_policy, strip_device_assignment)


@op("DatasetToGraph", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def older_dataset_to_graph(_, input_dataset, allow_stateful=False, strip_device_assignment=False):
    return _graph(
        input_dataset, external_state.WARN if allow_stateful else external_state.FAIL, strip_device_assignment
    )


@dataset_op("DatasetFromGraph", touches=("files", "network", "processes", "python"))
def dataset_from_graph(_, graph_def):
    return recipes.deserialized(graph_def[()])
