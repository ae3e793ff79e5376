"""The record of the op that creates a client's dataset of the data service."""

from __future__ import annotations

from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, own_op


@own_op(
    "DataServiceDataset", "", "handle",
    ("address", "dataset_id", "policy", "job", "consumer", "consumers", "trainer", "target"), shape=rules.scalar,
    grad=NO_GRADIENT, host=True, effect=True, touches=("network",),
)
def data_service_dataset(
    _, address, dataset_id, policy, job, consumer=None, consumers=None, trainer=None, target="AUTO"
):
    """The elements that the workers of a service make. gRPC is loaded with the first of them."""
    from reflow.data.service.clients import Served

    return Served(address, dataset_id, policy, job, consumer, consumers, trainer, target)
