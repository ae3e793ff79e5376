"""`tensorflow.python.data.experimental.ops.weighted_flat_map_op`: several datasets in given shares."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from reflow.api.call import call
from reflow.core import dtypes
from reflow.data import structure
from reflow.data.base import Family
from reflow.ops.convert import convert_to_tensor


def _weighted_flat_map(input_datasets: Sequence[Any], weights: Any = None, name: str | None = None) -> Any:
    """The first elements of datasets, one dataset after the other.

    Of each dataset come as many elements as its share of the weights says, and of all together as many as there are: of
    two datasets of ten elements with weights 1 and 2, five and ten. Without weights all elements come.
    """
    try:
        spec = reduce(structure.common, [dataset.element_spec for dataset in input_datasets])
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Incompatible dataset elements: {[dataset.element_spec for dataset in input_datasets]}"
        ) from error
    if weights is None:
        weights = [dataset.cardinality() for dataset in input_datasets]
    shares = [call("Cast", (convert_to_tensor(weight),), {"DstT": dtypes.float64}) for weight in list(weights)]
    variants = [dataset._variant_tensor for dataset in input_datasets]
    counts = {"N": len(variants), "M": len(shares)}
    return Family._make("WeightedFlatMapDataset", (*variants, *shares), spec, counts, tuple(input_datasets), name)
