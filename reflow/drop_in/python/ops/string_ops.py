"""`tensorflow.python.ops.string_ops`: strings cut into pieces, as sparse tensors."""

from reflow.api.call import call
from reflow.compat.rows_of_strings import string_split as split_at_characters
from reflow.core import dtypes
from reflow.core.sparse import SparseTensor
from reflow.ops.convert import convert_to_tensor


def string_split(source, sep=None, skip_empty=True, delimiter=None):
    """The pieces of each string in a vector, cut at every character of a delimiter."""
    if not isinstance(skip_empty, bool):
        raise TypeError(f"Expected bool for argument 'skip_empty' not {skip_empty!r}.")
    return split_at_characters(source, sep, skip_empty, delimiter)


def string_split_v2(source, sep=None, maxsplit=-1):
    """The pieces of each string in a vector, cut at a separator, white space by default."""
    operands = (convert_to_tensor(source, dtypes.string), convert_to_tensor("" if sep is None else sep, dtypes.string))
    indices, values, shape = call("StringSplitV2", operands, {"maxsplit": maxsplit})
    for part, dims in ((indices, [None, 2]), (values, [None]), (shape, [2])):
        part.set_shape(dims)
    return SparseTensor(indices, values, shape)
