"""Matrices of a checkpoint whose rows or columns stand for words, loaded for another vocabulary.

A *vocabulary* is a file with a word in each line. A word that both vocabularies have keeps its row (or column); a new
word takes initial values. *Out-of-vocabulary buckets* are rows (or columns) behind those of the words: they are always
new.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.array import arrange
from reflow.api.array.creation import range as arange
from reflow.compat.initializers import TruncatedNormal, Zeros
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run


def _remapping(
    which: str, old_file: str | None, new_file: str | None, offset: int, count: int, old_size: int = -1
) -> Any:
    """(for each new word its place in the old vocabulary, how many have one), or None where nothing is remapped."""
    if bool(old_file) != bool(new_file):
        raise ValueError(
            f"old_{which}_vocab_file and new_{which}_vocab_file must both be specified or left unspecified. "
            f"old_{which}_vocab_file='{old_file}', new_{which}_vocab_file='{new_file}'"
        )
    if not new_file:
        return None
    files = convert_to_tensor(new_file), convert_to_tensor(old_file)
    return run("GenerateVocabRemapping", *files, new_vocab_offset=offset, num_new_vocab=count, old_vocab_size=old_size)


def load_and_remap_matrix(
    ckpt_path: str, old_tensor_name: str, new_row_vocab_offset: int, num_rows_to_load: int, new_col_vocab_size: int,
    initializer: Callable[..., Any], old_row_vocab_size: int = -1, old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None, old_col_vocab_file: str | None = None, new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0, num_col_oov_buckets: int = 0, max_rows_in_memory: int = -1,
) -> Any:
    """A matrix with the rows and columns of new vocabularies, beginning with the row of word `new_row_vocab_offset`.

    `initializer` makes the values of new words and, behind them, of the out-of-vocabulary buckets. `old_row_vocab_size`
    counts the lines of the old file that are used, -1 for all; `max_rows_in_memory` bounds how much of the checkpoint
    is read at a time.

    Raises:
      ValueError: no vocabulary is given, or one file of a pair; or a number of buckets is negative.
    """
    for which, buckets in (("row", num_row_oov_buckets), ("col", num_col_oov_buckets)):
        if buckets < 0:
            raise ValueError(f"num_{which}_oov_buckets must be >= 0, but received {buckets}")
    rows = _remapping(
        "row", old_row_vocab_file, new_row_vocab_file, new_row_vocab_offset, num_rows_to_load, old_row_vocab_size
    )
    columns = _remapping("col", old_col_vocab_file, new_col_vocab_file, 0, new_col_vocab_size)
    if rows is None and columns is None:
        raise ValueError(
            "Must provide either row or column vocab files. If no remapping is necessary, consider using "
            "`tf.contrib.framework.init_from_checkpoint` instead."
        )
    end = new_row_vocab_offset + num_rows_to_load
    row_places, rows_kept = rows or (arange(new_row_vocab_offset, end, dtype=dtypes.int64), num_rows_to_load)
    column_places, columns_kept = columns or (convert_to_tensor([], dtypes.int64), new_col_vocab_size)
    matrix = run(
        "LoadAndRemapMatrix", *map(convert_to_tensor, (ckpt_path, old_tensor_name)), row_places, column_places,
        convert_to_tensor(initializer([num_rows_to_load * new_col_vocab_size - rows_kept * columns_kept, 1])),
        num_rows=num_rows_to_load, num_cols=new_col_vocab_size, max_rows_in_memory=max_rows_in_memory,
    )  # fmt: skip
    if num_row_oov_buckets:
        matrix = arrange.concat([matrix, initializer([num_row_oov_buckets, new_col_vocab_size])], 0)
    if num_col_oov_buckets:
        matrix = arrange.concat([matrix, initializer([num_rows_to_load + num_row_oov_buckets, num_col_oov_buckets])], 1)
    return matrix


def _check_shape(shape: Sequence[int], dtype: Any, columns: int, buckets: int) -> None:
    if dtypes.as_dtype(dtype) != dtypes.float32:
        raise TypeError(f"Currently, only float32 is supported. Received dtype: {dtype}")
    if len(shape) != 2:
        raise ValueError(f"Expected 2-dim shape, but received: {shape}")
    if shape[0] <= 0:
        raise ValueError(f"Expected 1st dim of shape to be > 0, but received shape: {shape}")
    if shape[1] != columns + buckets:
        raise ValueError(
            f"Expected 2nd dim of shape to be new_col_vocab_size ({columns}) + num_col_oov_buckets ({buckets}) = "
            f"{columns + buckets}, but received shape: {shape}"
        )


def load_and_remap_matrix_initializer(
    ckpt_path: str, old_tensor_name: str, new_row_vocab_size: int, new_col_vocab_size: int,
    old_row_vocab_size: int = -1, old_row_vocab_file: str | None = None, new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None, new_col_vocab_file: str | None = None, num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0, initializer: Callable[..., Any] | None = None, max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """An initializer of a variable, or of its parts along the rows: the words' values, then the buckets'.

    New ones are zeros by default.
    """
    fresh: Callable[..., Any] = Zeros() if initializer is None else initializer
    if not callable(fresh):
        raise TypeError(f"initializer must be callable, instead of being {fresh} of type {type(fresh)}.")
    load = functools.partial(
        load_and_remap_matrix, ckpt_path, old_tensor_name, new_col_vocab_size=new_col_vocab_size, initializer=fresh,
        old_row_vocab_size=old_row_vocab_size, old_row_vocab_file=old_row_vocab_file,
        new_row_vocab_file=new_row_vocab_file, old_col_vocab_file=old_col_vocab_file,
        new_col_vocab_file=new_col_vocab_file, num_col_oov_buckets=num_col_oov_buckets,
        max_rows_in_memory=max_rows_in_memory,
    )  # fmt: skip
    expected = new_row_vocab_size + num_row_oov_buckets

    def initial_value(shape: Sequence[int], dtype: Any = dtypes.float32, partition_info: Any = None) -> Any:
        _check_shape(shape, dtype, new_col_vocab_size, num_col_oov_buckets)
        offset = 0 if partition_info is None else partition_info.single_offset(shape)
        if offset + shape[0] > expected:
            raise ValueError(
                f"Trying to initialize {shape[0]} additional rows after {offset} rows have already been initialized, "
                f"which would exceed expected total row count of new_row_vocab_size ({new_row_vocab_size}) + "
                f"num_row_oov_buckets ({num_row_oov_buckets}) = {expected}."
            )
        if offset > new_row_vocab_size:  # this part has buckets alone
            return fresh(shape)
        buckets = min(shape[0], max(0, offset + shape[0] - new_row_vocab_size))
        return load(new_row_vocab_offset=offset, num_rows_to_load=shape[0] - buckets, num_row_oov_buckets=buckets)

    return initial_value


def load_embedding_initializer(
    ckpt_path: str, embedding_tensor_name: str, new_vocab_size: int, embedding_dim: int, old_vocab_file: str,
    new_vocab_file: str, old_vocab_size: int = -1, num_oov_buckets: int = 0,
    initializer: Callable[..., Any] | None = None, max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """The same for a table of embeddings, a row for each word.

    New rows are drawn as those of an embedding column by default.
    """
    return load_and_remap_matrix_initializer(
        ckpt_path, embedding_tensor_name, new_vocab_size, embedding_dim, old_vocab_size, old_vocab_file, new_vocab_file,
        num_row_oov_buckets=num_oov_buckets, max_rows_in_memory=max_rows_in_memory,
        initializer=TruncatedNormal(stddev=1.0 / math.sqrt(embedding_dim)) if initializer is None else initializer,
    )  # fmt: skip
