"""The configuration of embedding tables, and of the features that are looked up in them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.export import export
from reflow.api.random.sampling import truncated_normal
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.distribute.tpu.optimizers import Optimizer
from reflow.ops.convert import convert_to_tensor

_COMBINERS = ("mean", "sum", "sqrtn")


@export("tpu.experimental.embedding.QuantizationConfig")
class QuantizationConfig:
    """Rounds activations to some values.

    Args:
      num_buckets: How many values there are.
      lower: The smallest.
      upper: The largest.

    Raises:
      ValueError: There are fewer than 2.

    >>> tf.tpu.experimental.embedding.QuantizationConfig(4, -1.0, 1.0)
    QuantizationConfig(num_buckets=4, lower=-1.0, upper=1.0)
    """

    def __init__(self, num_buckets: int, lower: float, upper: float) -> None:
        if num_buckets < 2:
            raise ValueError(f"num_buckets is {num_buckets}, must be at least 2 for simulated quantization.")
        self.num_buckets, self.lower, self.upper = num_buckets, lower, upper

    def __repr__(self) -> str:
        return f"QuantizationConfig(num_buckets={self.num_buckets!r}, lower={self.lower!r}, upper={self.upper!r})"


@export("tpu.experimental.embedding.CustomCombiner")
class CustomCombiner:
    """Combines the rows of an example with a user function.

    Args:
      combiner_computation: The function.
      max_valency: How many rows an example has at most.
      num_weights: How many weights the function learns.
      initializer: What makes their first values.
      combiner_weights_learning_rate: How fast they are learned.

    Raises:
      ValueError: There are weights and no initializer.

    >>> tf.tpu.experimental.embedding.CustomCombiner(lambda n, rows: rows[0], max_valency=4).max_valency
    4
    """

    CUSTOM_COMBINER_SLOT_NAME = "custom_combiner_weights"

    def __init__(
        self, combiner_computation: Callable[..., Any], max_valency: int, num_weights: int = 0, initializer: Any = None,
        combiner_weights_learning_rate: Any = 0.01,
    ) -> None:
        if num_weights > 0 and initializer is None:
            raise ValueError("When `num_weights` is greater than 0, `initializer` must be set.")
        self.combiner = f"custom_combiner_{hash(combiner_computation)}"
        self.combiner_computation, self.max_valency, self.num_weights = combiner_computation, max_valency, num_weights
        self.initializer, self.combiner_weights_learning_rate = initializer, combiner_weights_learning_rate


@export("tpu.experimental.embedding.RowIdInitializer")
class RowIdInitializer:
    """Fills each row of a table with its number.

    Args:
      offset: The number of the first row.

    >>> tf.tpu.experimental.embedding.RowIdInitializer(1)([2, 2], tf.float32).numpy().tolist()
    [[1.0, 1.0], [2.0, 2.0]]
    """

    def __init__(self, offset: int = 0) -> None:
        self.offset = offset

    def __call__(self, shape: Sequence[int], dtype: Any) -> Any:
        """Makes the first values of a table.

        Args:
          shape: The shape of the table.
          dtype: Its dtype.

        Returns:
          A tensor.
        """
        import numpy as np

        rows = np.arange(self.offset, self.offset + shape[0])[:, None]
        return convert_to_tensor(np.broadcast_to(rows, tuple(shape)), dtype=dtype)


class _Default:
    """The first values of a table without an initializer: a truncated normal distribution."""

    def __init__(self, dim: int) -> None:
        self.stddev = 1 / math.sqrt(dim)

    def __call__(self, shape: Sequence[int], dtype: Any = dtypes.float32) -> Any:
        return truncated_normal(shape, stddev=self.stddev, dtype=dtype)


@export("tpu.experimental.embedding.TableConfig")
class TableConfig:
    """An embedding table.

    Args:
      vocabulary_size: how many rows it has.
      dim: how long a row is.
      initializer: what makes its first values, from a shape and a `dtype`.
      optimizer: one of `tf.tpu.experimental.embedding`.
      combiner: how the rows of an example become one: `mean`, `sum`, `sqrtn` or a `CustomCombiner`.
      name: the table's name in checkpoints.
      quantization_config: how activations are rounded.
      layout: where the table is on SparseCores.
      dtype: `float32` or `int32`.

    Raises:
      ValueError: an argument does not fit.

    >>> table = tf.tpu.experimental.embedding.TableConfig(vocabulary_size=8, dim=4)
    >>> table.vocabulary_size, table.dim, table.combiner
    (8, 4, 'mean')
    """

    def __init__(
        self, vocabulary_size: int, dim: int, initializer: Callable[..., Any] | None = None,
        optimizer: Optimizer | None = None, combiner: str | CustomCombiner = "mean", name: str | None = None,
        quantization_config: QuantizationConfig | None = None, layout: Any = None, dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        for argument, value, what in (("vocabulary_size", vocabulary_size, ""), ("dim", dim, " (embedding dimension)")):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"Argument `{argument}`{what} must be an int and must be >= 1. Received: {value}")
        if initializer is not None and not callable(initializer):
            raise ValueError(f"Argument `initializer` must be a callable (or None). Received: {initializer}")
        if isinstance(combiner, str) and combiner not in _COMBINERS:
            raise ValueError(f"String argument `combiner` must be in {_COMBINERS}. Received: {combiner}")
        if not isinstance(combiner, (str, CustomCombiner)):
            raise ValueError(
                f"Argument `combiner` should either be a str or a CustomCombiner. Received: {type(combiner)}"
            )
        if dtype not in (dtypes.float32, dtypes.int32):
            raise ValueError(f"Argument `dtype` must be either float32 or int32. Received: {dtype}")
        self.vocabulary_size, self.dim, self.optimizer, self.combiner = vocabulary_size, dim, optimizer, combiner
        self.initializer = _Default(dim) if initializer is None else initializer
        self.name, self.quantization_config, self.layout, self.dtype = name, quantization_config, layout, dtype

    def __repr__(self) -> str:
        initializer = None if isinstance(self.initializer, _Default) else self.initializer
        return (
            f"TableConfig(vocabulary_size={self.vocabulary_size!r}, dim={self.dim!r}, initializer={initializer!r}, "
            f"optimizer={self.optimizer!r}, combiner={self.combiner!r}, name={self.name!r}, "
            f"quantization_config={self.quantization_config!r})"
        )


@export("tpu.experimental.embedding.FeatureConfig")
class FeatureConfig:
    """A feature that is looked up in a table.

    Args:
      table: the table.
      max_sequence_length: if positive, the feature is a sequence of at most that many rows, which are not combined.
      validate_weights_and_indices: leave out ids below 0 and weights that are not positive.
      output_shape: the shape of the result, without the last dimension.
      name: the feature's name.

    Raises:
      ValueError: an argument does not fit.

    >>> table = tf.tpu.experimental.embedding.TableConfig(vocabulary_size=8, dim=4)
    >>> tf.tpu.experimental.embedding.FeatureConfig(table=table, name="words").max_sequence_length
    0
    """

    def __init__(
        self, table: TableConfig, max_sequence_length: int = 0, validate_weights_and_indices: bool = True,
        output_shape: Any = None, name: str | None = None,
    ) -> None:
        if not isinstance(table, TableConfig):
            raise ValueError(
                f"Argument `table` has invalid type {type(table)}. Expected "
                "`tf.tpu.experimental.embedding.TableConfig`."
            )
        if not isinstance(max_sequence_length, int) or max_sequence_length < 0:
            raise ValueError(
                f"Argument `max_sequence_length` must be an int and must be >= 0. Received: {max_sequence_length}"
            )
        if not isinstance(validate_weights_and_indices, bool):
            raise ValueError(
                f"Argument `validate_weights_and_indices` must be a boolean. Received: {validate_weights_and_indices}"
            )
        self.table, self.max_sequence_length, self.name = table, max_sequence_length, name
        self.validate_weights_and_indices = validate_weights_and_indices
        self.output_shape = TensorShape(output_shape) if output_shape is not None else TensorShape(None)

    def __repr__(self) -> str:
        return (
            f"FeatureConfig(table={self.table!r}, max_sequence_length={self.max_sequence_length!r}, "
            f"validate_weights_and_indices={self.validate_weights_and_indices!r}, output_shape={self.output_shape!r}, "
            f"name={self.name!r})"
        )


@export("tpu.experimental.embedding.SparseCoreEmbeddingConfig")
@dataclasses.dataclass(frozen=True)
class SparseCoreEmbeddingConfig:
    """Says how tables are kept on SparseCores.

    Args:
      disable_table_stacking: Whether each table is kept by itself.
      max_ids_per_chip_per_sample: How many ids of an example a chip gets at most.
      max_ids_per_table: How many ids a table gets at most, by its name.
      max_unique_ids_per_table: How many different ids a table gets at most, by its name.
      allow_id_dropping: Whether ids beyond these limits are dropped.
      initialize_tables_on_host: Whether the host makes the first values.
      enable_fast_table_initialization: Whether they are made in a faster way.

    >>> tf.tpu.experimental.embedding.SparseCoreEmbeddingConfig().max_ids_per_chip_per_sample
    64
    """

    disable_table_stacking: bool = False
    max_ids_per_chip_per_sample: int = 64
    max_ids_per_table: dict[str, int] | None = None
    max_unique_ids_per_table: dict[str, int] | None = None
    allow_id_dropping: bool = False
    initialize_tables_on_host: bool = True
    enable_fast_table_initialization: bool = False
