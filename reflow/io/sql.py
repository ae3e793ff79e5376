"""`tf.data.experimental.SqlDataset`: the rows of a query on a SQLite database."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes, nest
from reflow.core.specs import TensorSpec
from reflow.data.dataset import DatasetV2
from reflow.ops.convert import convert_to_tensor


@export("data.experimental.SqlDataset")
class SqlDataset(DatasetV2):
    """Reads the rows of a query on a SQLite database.

    Args:
      driver_name: "sqlite".
      data_source_name: The path of the database.
      query: The query, in SQL.
      output_types: A dtype for each column, as a structure; the values are converted to them.

    >>> import sqlite3
    >>> with sqlite3.connect("/tmp/reflow_rows.db") as base:
    ...     _ = base.executescript(
    ...         "drop table if exists t; create table t (n, s); insert into t values (1, 'a'), (2, 'b')"
    ...     )
    >>> ds = tf.data.experimental.SqlDataset(
    ...     "sqlite", "/tmp/reflow_rows.db", "select n, s from t", (tf.int32, tf.string)
    ... )
    >>> [(int(n), s.numpy()) for n, s in ds]
    [(1, b'a'), (2, b'b')]
    """

    def __init__(self, driver_name, data_source_name, query, output_types):
        spec = nest.map_structure(lambda kind: TensorSpec([], dtypes.as_dtype(kind)), output_types)
        flat = nest.flatten(spec)
        texts = [convert_to_tensor(t, dtypes.string) for t in (driver_name, data_source_name, query)]
        attrs = {"output_types": [s.dtype for s in flat], "output_shapes": [()] * len(flat)}
        super().__init__(call("SqlDataset", texts, attrs), element_spec=spec, label="SqlDatasetV2")
