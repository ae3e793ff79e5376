"""`tensorflow.python.data.util.sparse`: sparse tensors of elements as variants, with the components' classes."""

from reflow.api.call import call
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import Tensor
from reflow.drop_in.python.data.util import nest
from reflow.io.serialized import serialize_many_sparse, serialize_sparse


def _is_sparse(cls) -> bool:
    return cls is SparseTensor


def _mapped(function, structure, *others):
    """A structure with the results of `function` as its leaves; of the others, what stands in the same places."""
    leaves = zip(*(nest.flatten(s) for s in (structure, *others)), strict=True)
    return nest.pack_sequence_as(structure, [function(*parts) for parts in leaves])


def any_sparse(classes) -> bool:
    """Whether a structure of classes holds that of sparse tensors."""
    return any(map(_is_sparse, nest.flatten(classes)))


def get_classes(tensors):
    """The classes of a structure's tensors."""
    return _mapped(lambda tensor: SparseTensor if isinstance(tensor, SparseTensor) else Tensor, tensors)


def as_dense_shapes(shapes, classes):
    """The shapes of components as tensors: unknown for what stands for a sparse tensor."""
    return _mapped(lambda shape, cls: TensorShape(None) if _is_sparse(cls) else shape, shapes, classes)


def as_dense_types(types, classes):
    """The dtypes of components as tensors: variants for sparse tensors."""
    return _mapped(lambda kind, cls: dtypes.variant if _is_sparse(cls) else kind, types, classes)


def serialize_sparse_tensors(tensors):
    """A structure in which variants stand for sparse tensors."""
    return _mapped(lambda t: serialize_sparse(t, dtypes.variant) if isinstance(t, SparseTensor) else t, tensors)


def serialize_many_sparse_tensors(tensors):
    """A structure in which vectors of variants, one for each row, stand for sparse tensors."""
    return _mapped(lambda t: serialize_many_sparse(t, dtypes.variant) if isinstance(t, SparseTensor) else t, tensors)


def deserialize_sparse_tensors(tensors, types, shapes, classes):
    """The structure with its sparse tensors again."""

    def one(tensor, kind, shape, cls):
        if not _is_sparse(cls):
            return tensor
        indices, values, sizes = call("DeserializeSparse", (tensor,), {"dtype": dtypes.as_dtype(kind)})
        rank = TensorShape(shape).rank
        indices.set_shape([None, rank])
        sizes.set_shape([rank])
        return SparseTensor(indices, values, sizes)

    return _mapped(one, tensors, types, shapes, classes)
