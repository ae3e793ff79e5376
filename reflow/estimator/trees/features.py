"""Features for trees: for every example and feature the number of a *bucket*, by which a node sends examples left or
right.

A numeric column has buckets between quantiles of its values, which the first batches provide (`growth.py`). A
bucketized column has its own. Each id of a categorical column, or of its indicator, is a feature with two buckets:
whether the example has it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from reflow.api.array import arrange, sorting
from reflow.api.math import arithmetic
from reflow.core import dtypes
from reflow.feature_column.base import CategoricalColumn, FeatureTransformationCache, normalized, scope_state
from reflow.feature_column.dense import IndicatorColumn
from reflow.feature_column.numeric import BucketizedColumn, NumericColumn


class Feature(NamedTuple):
    """One number of a column: its name, and how many buckets it has; None where quantiles decide."""

    name: str
    buckets: int | None


def _names(column: Any) -> list[Feature]:
    if isinstance(column, NumericColumn):
        size = math.prod(column.shape)
        return [Feature(column.name if size == 1 else f"{column.name}:{i}", None) for i in range(size)]
    if isinstance(column, BucketizedColumn):
        size = math.prod(column.source_column.shape)
        buckets = len(column.boundaries) + 1
        return [Feature(column.name if size == 1 else f"{column.name}:{i}", buckets) for i in range(size)]
    if isinstance(column, IndicatorColumn):
        return [Feature(f"{column.name}:{value}", 2) for value in _ids(column.categorical_column)]
    if isinstance(column, CategoricalColumn):
        return [Feature(f"{column.name}_indicator:{value}", 2) for value in _ids(column)]
    raise ValueError(
        "For now, only bucketized_column, indicator_column, numeric_column and categorical columns are supported "
        f"but got: {column}"
    )


def _ids(column: Any) -> list:
    """What the ids of a categorical column represent."""
    known = list(getattr(column, "vocabulary_list", ()))
    return [*known, *range(len(known), column.num_buckets)]


class Features:
    """The features of some columns: numeric ones first, then those whose buckets are known."""

    def __init__(self, columns: Any) -> None:
        ordered = normalized(columns)
        self.numeric = [column for column in ordered if isinstance(column, NumericColumn)]
        self._other = [column for column in ordered if not isinstance(column, NumericColumn)]
        self.all = [feature for column in [*self.numeric, *self._other] for feature in _names(column)]
        self.names = [feature.name for feature in self.all]
        self.numbers = sum(feature.buckets is None for feature in self.all)

    def buckets(self, quantiles: int) -> int:
        """The most buckets that a feature has."""
        return max(quantiles if feature.buckets is None else feature.buckets for feature in self.all)

    def read(self, features: dict) -> tuple[Any, list]:
        """The numeric columns' numbers, [batch, numbers] or None, and the others' buckets, each [batch, features]."""
        cache = FeatureTransformationCache(features)
        numeric = [arrange.reshape(cache.get(column, None), [-1, math.prod(column.shape)]) for column in self.numeric]
        return arrange.concat(numeric, 1) if numeric else None, [_buckets_of(column, cache) for column in self._other]


def _buckets_of(column: Any, cache: FeatureTransformationCache) -> Any:
    if isinstance(column, BucketizedColumn):
        return arithmetic.cast(
            arrange.reshape(cache.get(column, None), [-1, math.prod(column.source_column.shape)]), dtypes.int32
        )
    column = column if isinstance(column, IndicatorColumn) else IndicatorColumn(column)
    counts = column.get_dense_tensor(cache, scope_state(None, False))
    return arithmetic.cast(arrange.reshape(counts, [-1, column.variable_shape[-1]]) > 0.5, dtypes.int32)


def bucketized(numbers: Any, boundaries: Any, others: list) -> Any:
    """The buckets of all features, [batch, features]: a number is in the bucket of the first boundary not below it, or
    in the last."""
    parts = list(others)
    if numbers is not None:
        places = sorting.searchsorted(boundaries, arrange.transpose(numbers))
        parts.insert(0, arrange.transpose(arithmetic.minimum(places, boundaries.shape[1] - 1)))
    return arrange.concat(parts, 1)
