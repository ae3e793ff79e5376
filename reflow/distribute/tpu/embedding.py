"""Embedding tables of models trained on TPUs, on the CPU: variables with their slots, and lookups in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from reflow.api.array.arrange import expand_dims, reshape
from reflow.api.array.creation import ones_like
from reflow.api.array.indexing import gather, scatter_nd
from reflow.api.export import export, with_sections
from reflow.api.math.arithmetic import divide_no_nan
from reflow.api.math.reduce import reduce_sum
from reflow.api.nn.embeddings import embedding_lookup, embedding_lookup_sparse, safe_embedding_lookup_sparse
from reflow.api.sparse.tensors import slice_ as sparse_slice
from reflow.core import nest
from reflow.core.context import init_scope
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import Tensor
from reflow.distribute.strategy import get_strategy
from reflow.distribute.tpu.embedding_config import FeatureConfig, TableConfig
from reflow.distribute.tpu.optimizers import Optimizer
from reflow.eager.variables import Variable
from reflow.tracking.trackable import AutoTrackable


class EmbeddingBase(AutoTrackable):
    """The tables of a structure of features: their variables are made when they are first asked for."""

    def __init__(self, feature_config: Any, optimizer: Optimizer | None = None) -> None:
        super().__init__()
        self._feature_config = feature_config
        self._tables: list[TableConfig] = []
        for feature in nest.flatten(feature_config):
            if feature.table not in self._tables:
                self._tables.append(feature.table)
        names: list[str] = []
        for i, table in enumerate(self._tables):
            table.optimizer = optimizer if table.optimizer is None else table.optimizer
            if table.optimizer is not None and not isinstance(table.optimizer, Optimizer):
                raise ValueError(
                    f"{type(table.optimizer)} is an unsupported optimizer class. Please pass an instance of one of the "
                    "optimizer classes under tf.tpu.experimental.embedding."
                )
            table.name = f"table_{i}" if table.name is None else table.name
            if table.name in names:
                raise ValueError(f"Tables must have a unique name. Multiple tables with name {table.name} found.")
            names.append(table.name)
        self._variables: dict[str, dict[str, Variable]] = {}

    def build(self) -> None:
        """Make the variables, if they are not there yet."""
        if not self._variables:
            with init_scope():
                self._variables = {str(table.name): self._make(table) for table in self._tables}

    def _make(self, table: TableConfig) -> dict[str, Variable]:
        def make(name: str, initializer: Callable[..., Any], trainable: bool = False) -> Variable:
            first = initializer([table.vocabulary_size, table.dim], dtype=table.dtype)
            variable = Variable(first, name=name, trainable=trainable)
            self._track_trackable(variable, name)
            return variable

        parameters = make(str(table.name), table.initializer, True)
        slots = (
            {} if table.optimizer is None
            else table.optimizer.create_slots(parameters, lambda n, i: make(f"{table.name}/{n}", i))
        )
        return {**slots, "parameters": parameters}

    @property
    def embedding_tables(self) -> dict[TableConfig, Variable]:
        """The variable of each table."""
        self.build()
        return {table: self._variables[str(table.name)]["parameters"] for table in self._tables}


@export("tpu.experimental.embedding.TPUEmbeddingForServing")
class TPUEmbeddingForServing(EmbeddingBase):
    """Embedding tables on the CPU, to serve a model that was trained on TPUs.

    Args:
      feature_config: a structure of `FeatureConfig`s.
      optimizer: for tables without one of their own; None makes no slot variables.
      experimental_sparsecore_restore_info: facts about a training on SparseCores; such checkpoints are stacked tables,
        which are refused.

    Raises:
      ValueError: two tables have the same name, or an optimizer is none of `tf.tpu.experimental.embedding`.

    >>> table = tf.tpu.experimental.embedding.TableConfig(
    ...     4, 2, initializer=tf.tpu.experimental.embedding.RowIdInitializer()
    ... )
    >>> serving = tf.tpu.experimental.embedding.TPUEmbeddingForServing(
    ...     tf.tpu.experimental.embedding.FeatureConfig(table), None
    ... )
    >>> serving(tf.constant([3, 1])).numpy().tolist()
    [[3.0, 3.0], [1.0, 1.0]]
    """

    def __init__(
        self, feature_config: Any, optimizer: Optimizer | None, experimental_sparsecore_restore_info: Any = None
    ) -> None:
        if experimental_sparsecore_restore_info is not None:
            raise NotImplementedError("Checkpoints of SparseCores hold stacked tables, which cannot be restored here.")
        super().__init__(feature_config, optimizer)

    @property
    def variables(self) -> dict[str, dict[str, Variable]]:
        """The variables of each table, by its name, then by slot."""
        self.build()
        return self._variables

    def embedding_lookup(self, features: Any, weights: Any = None) -> Any:
        """Looks rows up, and combines those of an example.

        Args:
          features: A structure of ids, as the feature configuration has it.
          weights: The same structure of weights; None for none.

        Returns:
          A structure of tensors.
        """
        return serving_embedding_lookup(features, weights, self.embedding_tables, self._feature_config)

    __call__ = embedding_lookup


_TABLES = """\
Args:
  feature_config: A structure of `FeatureConfig`s.
  optimizer: For tables without one of their own.
  pipeline_execution_with_tensor_core: Only means something on a TPU.
"""


@export("tpu.experimental.embedding.TPUEmbedding")
@with_sections(_TABLES)
class TPUEmbedding(EmbeddingBase):
    """Embedding tables on TPUs. Without a TPU, as here, the tables are variables to be restored, inspected and served.

    >>> table = tf.tpu.experimental.embedding.TableConfig(
    ...     4, 2, initializer=tf.tpu.experimental.embedding.RowIdInitializer()
    ... )
    >>> embedding = tf.tpu.experimental.embedding.TPUEmbedding(tf.tpu.experimental.embedding.FeatureConfig(table), None)
    >>> embedding.embedding_tables[table].shape
    TensorShape([4, 2])
    """

    def __init__(
        self, feature_config: Any, optimizer: Optimizer | None, pipeline_execution_with_tensor_core: bool = False
    ) -> None:
        if pipeline_execution_with_tensor_core:
            raise RuntimeError("pipeline_execution_with_tensor_core needs a TPUStrategy.")
        super().__init__(feature_config, optimizer)

    def build(self, per_replica_input_shapes: Any = None, per_replica_batch_size: int | None = None) -> None:
        """Creates the variables; input shapes are needed only on TPUs.

        Args:
          per_replica_input_shapes: Not used here.
          per_replica_batch_size: Not used here.
        """
        super().build()

    def _needs_tpu(self, name: str) -> NoReturn:
        raise RuntimeError(f"{name} is not valid when TPUEmbedding object is not created under a TPUStrategy.")

    def enqueue(
        self, features: Any, weights: Any = None, training: bool = True, name: str | None = None,
        device: str | None = None,
    ) -> None:
        """Send ids to the TPU. RuntimeError: there is none."""
        self._needs_tpu("enqueue")

    def dequeue(self, name: str | None = None) -> None:
        """Get activations from the TPU. RuntimeError: there is none."""
        self._needs_tpu("dequeue")

    def apply_gradients(self, gradients: Any, name: str | None = None) -> None:
        """Sends gradients to the TPU. RuntimeError if there is none."""
        self._needs_tpu("apply_gradients")


@export("tpu.experimental.embedding.TPUEmbeddingV0")
@with_sections(_TABLES)
class TPUEmbeddingV0(EmbeddingBase):
    """Keeps embedding tables as dense variables on TPUs. Making one raises an error where there is none, as in
    TensorFlow.

    Raises:
      RuntimeError: There is no TPU.

    >>> table = tf.tpu.experimental.embedding.TableConfig(4, 2)
    >>> try:
    ...     tf.tpu.experimental.embedding.TPUEmbeddingV0(tf.tpu.experimental.embedding.FeatureConfig(table), None)
    ... except RuntimeError:
    ...     print("no TPU")
    no TPU
    """

    def __init__(self, feature_config: Any, optimizer: Optimizer | None) -> None:
        super().__init__(feature_config, optimizer)
        raise RuntimeError(f"TPUEmbeddingV0 should be created under TPUStrategy but found {get_strategy()}.")


@export("tpu.experimental.embedding.TPUEmbeddingV2")
@with_sections(_TABLES)
class TPUEmbeddingV2(EmbeddingBase):
    """Keeps embedding tables on SparseCores. Making one raises an error where there is none, as in TensorFlow.

    Args:
      sparse_core_embedding_config: A `SparseCoreEmbeddingConfig`.

    Raises:
      RuntimeError: There is no TPU.

    >>> table = tf.tpu.experimental.embedding.TableConfig(4, 2)
    >>> try:
    ...     tf.tpu.experimental.embedding.TPUEmbeddingV2(tf.tpu.experimental.embedding.FeatureConfig(table))
    ... except RuntimeError:
    ...     print("no TPU")
    no TPU
    """

    DEFAULT_MAX_IDS_PER_TABLE = 256
    DEFAULT_MAX_UNIQUE_IDS_PER_TABLE = 256

    def __init__(
        self, feature_config: Any, optimizer: Optimizer | None = None,
        pipeline_execution_with_tensor_core: bool = False, sparse_core_embedding_config: Any = None,
    ) -> None:
        super().__init__(feature_config, optimizer)
        raise RuntimeError(f"TPUEmbeddingV2 should be created under TPUStrategy but found {get_strategy()}.")


# --- looking up -------------------------------------------------------------------------------------------------------


@export("tpu.experimental.embedding.serving_embedding_lookup")
def serving_embedding_lookup(
    inputs: Any, weights: Any, tables: dict[TableConfig, Variable], feature_config: Any
) -> Any:
    """Rows of tables, by ordinary ops.

    Args:
      inputs: a structure of tensors, sparse tensors or ragged tensors of ids.
      weights: None, or the same structure of weights for sparse and ragged inputs.
      tables: the variable of each table.
      feature_config: a structure of `FeatureConfig`s that has at least the inputs.

    Returns:
      The structure of `inputs`, of tensors.

    Raises:
      ValueError: an input has no configuration, or does not fit its own.

    >>> table = tf.tpu.experimental.embedding.TableConfig(4, 2)
    >>> tables = {table: tf.Variable([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])}
    >>> ids = tf.ragged.constant([[1, 3], [2]])
    >>> feature = tf.tpu.experimental.embedding.FeatureConfig(table)
    >>> tf.tpu.experimental.embedding.serving_embedding_lookup(ids, None, tables, feature).numpy().tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    flat = _by_path(inputs)
    given = [None] * len(flat)
    if weights is not None:
        nest.assert_same_structure(inputs, weights)
        given = nest.flatten(weights)
    features = dict(_by_path(feature_config))
    if not {key for key, _ in flat} <= features.keys():
        raise ValueError(
            f"Inputs are not a subset of feature_config. Inputs keys are {({key for key, _ in flat})}, but "
            f"feature_config keys are {features.keys()}"
        )
    found = []
    for (path, ids), weight in zip(flat, given, strict=True):
        feature = features[path]
        _check(path, ids, weight, feature)
        table = tables[feature.table]
        if isinstance(ids, Tensor):
            found.append(embedding_lookup(table, ids))
        elif isinstance(ids, SparseTensor):
            found.append(_sparse(ids, weight, table, feature))
        else:
            found.append(_ragged(ids, weight, table, feature))
    return nest.pack_sequence_as(inputs, found)


def _by_path(structure: Any) -> list[tuple[str, Any]]:
    """The leaves of a structure, each with the way to it."""
    ways = ["/".join(map(str, path)) for path in nest.paths(structure)]
    return list(zip(ways, nest.flatten(structure), strict=True))


def _check(path: str, ids: Any, weight: Any, feature: FeatureConfig) -> None:
    if weight is not None:
        if isinstance(ids, Tensor):
            raise ValueError(f"Weight specified for {path}, but input is dense.")
        if type(weight) is not type(ids):
            raise ValueError(
                f"Weight for {path} is of type {type(weight)} but it does not match type of the "
                f"input which is {type(ids)}."
            )
        if feature.max_sequence_length > 0:
            raise ValueError(f"Weight specified for {path}, but this is a sequence feature.")
    if isinstance(ids, Tensor):
        if feature.max_sequence_length > 0:
            raise ValueError(f"Feature {path} is a sequence feature but a dense tensor was passed.")
    elif not isinstance(ids, (SparseTensor, RaggedTensor)):
        raise ValueError(f"Input {path} is type {type(ids)}. Tensor, SparseTensor or RaggedTensor expected.")


def _sparse(ids: Any, weight: Any, table: Variable, feature: FeatureConfig) -> Tensor:
    rank = ids.shape.rank
    if not feature.output_shape and feature.max_sequence_length > 0 and rank in (None, 2):
        rows = int(ids.dense_shape[0])
        cut = sparse_slice(ids, [0, 0], [rows, feature.max_sequence_length])
        whole = [rows, feature.max_sequence_length, feature.table.dim]
        return scatter_nd(cut.indices, gather(table.read_value(), cut.values), whole)  # type: ignore[no-any-return]
    look_up = (
        safe_embedding_lookup_sparse if feature.validate_weights_and_indices or rank is None or rank > 2
        else embedding_lookup_sparse
    )
    combiner: Any = feature.table.combiner
    return look_up(table, ids, weight, combiner=combiner)  # type: ignore[no-any-return]


def _ragged(ids: Any, weight: Any, table: Variable, feature: FeatureConfig) -> Any:
    if ids.shape.rank != 2:
        raise ValueError(f"Only rank 2 ragged tensor is supported, but got rank {ids.shape.rank}")
    rows = ids.shape[0]
    dim = feature.table.dim
    if not feature.output_shape:
        if feature.max_sequence_length > 0:
            return embedding_lookup(table, ids).to_tensor(shape=[rows, feature.max_sequence_length, dim])
        return _combined(table, ids, weight, feature.table.combiner)
    size = feature.output_shape.num_elements()
    wanted = [*feature.output_shape.as_list(), dim]
    if size == rows:
        return reshape(_combined(table, ids, weight, feature.table.combiner), wanted)
    if size > rows and not size % rows:
        return reshape(embedding_lookup(table, ids).to_tensor(shape=[rows, size // rows, dim]), wanted)
    raise ValueError(
        "Output shape set in the FeatureConfig should be the factor of the input data batch size. But instead got "
        f"output shape {feature.output_shape}, input data batch size {rows}"
    )


def _combined(table: Variable, ids: Any, weights: Any, combiner: Any) -> Any:
    """The rows of each example, as one."""
    weights = expand_dims(ones_like(ids, dtype=table.dtype) if weights is None else weights, axis=2)
    total = reduce_sum(embedding_lookup(table, ids) * weights, axis=1)
    if combiner == "mean":
        return divide_no_nan(total, reduce_sum(weights, axis=1))
    if combiner == "sqrtn":
        return divide_no_nan(total, reduce_sum(weights * weights, axis=1) ** 0.5)
    return total
