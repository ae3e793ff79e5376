"""Version 1 functions with a sparse result unless a ragged one is requested.

`string_split`, `strings.split`; and `sparse_merge`.
"""

from __future__ import annotations

from reflow.api.array import arrange
from reflow.api.call import call
from reflow.api.export import export
from reflow.api.math import arithmetic
from reflow.api.ragged.build import as_values
from reflow.api.sparse import tensors
from reflow.api.strings import rows
from reflow.compat.functions import either
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor, SparseTensorValue
from reflow.ops.convert import convert_to_tensor


def _check_result_type(result_type) -> None:
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


@export("compat.v1.string_split")
def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type="SparseTensor", name=None):
    """The pieces of each string in a vector, cut at every character of a delimiter.

    >>> tf.compat.v1.string_split(["a b", "c"]).values.numpy().tolist()
    [b'a', b'b', b'c']
    """
    _check_result_type(result_type)
    given = either(sep, delimiter, "sep", "delimiter")
    delimiter = convert_to_tensor(" " if given is None else given, dtypes.string)
    source = convert_to_tensor(source, dtypes.string)
    indices, values, shape = call("StringSplit", (source, delimiter), {"skip_empty": skip_empty}, name)
    for part, dims in ((indices, [None, 2]), (values, [None]), (shape, [2])):
        part.set_shape(dims)
    if result_type == "SparseTensor":
        return SparseTensor(indices, values, shape)
    return RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0], validate=False)


@export("compat.v1.strings.split")
def split(input=None, sep=None, maxsplit=-1, result_type="SparseTensor", source=None, name=None):
    """The pieces of each string, as a sparse or a ragged tensor.

    >>> tf.compat.v1.strings.split(["a b", "c"], result_type="RaggedTensor")
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    given = as_values(either(input, source, "input", "source"))
    _check_result_type(result_type)
    if given.shape.rank == 0:
        given = arrange.expand_dims(given, 0)
    result = rows.split(given, sep, maxsplit, name)
    return result.to_sparse() if result_type == "SparseTensor" else result


@export("compat.v1.sparse.merge", "compat.v1.sparse_merge")
def sparse_merge(sp_ids, sp_values, vocab_size, name=None, already_sorted=False):
    """Ids and values at the same places, as one sparse tensor whose last axes are the ids.

    >>> ids = tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1])
    >>> tf.compat.v1.sparse_merge(
    ...     ids, tf.SparseTensor([[0, 0], [1, 0]], [5.0, 6.0], [2, 1]), 3
    ... ).indices.numpy().tolist()
    [[0, 2], [1, 0]]
    """
    many = isinstance(sp_ids, (list, tuple)) and not isinstance(sp_ids, SparseTensorValue)
    if isinstance(vocab_size, (list, tuple)) != many:
        raise TypeError("vocab_size and sp_ids must both be lists, or neither.")
    ids, sizes = (list(sp_ids), list(vocab_size)) if many else ([sp_ids], [vocab_size])
    ids, sp_values = [tensors.as_sparse(x) for x in ids], tensors.as_sparse(sp_values)
    if len(ids) != len(sizes):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    columns = [arithmetic.cast(arrange.expand_dims(x.values, 1), dtypes.int64) for x in ids]
    indices = arrange.concat([ids[0].indices[:, :-1], *columns], 1)
    last = [arithmetic.cast(arrange.reshape(convert_to_tensor(n), [1]), dtypes.int64) for n in sizes]
    shape = arrange.concat([ids[0].dense_shape[:-1], *last], 0)
    result = SparseTensor(indices, sp_values.values, shape)
    return result if already_sorted else tensors.reorder(result, name)


