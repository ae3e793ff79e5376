"""`tensorflow.python.ops.image_ops_impl`: checks of the shapes of images.

A check fails at once where the shape is known, and returns assertions where it is not.
"""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange
from reflow.api.control.printing import Assert
from reflow.api.debugging import asserts
from reflow.api.math import logic, reduce
from reflow.core.tensor import Tensor
from reflow.drop_in.python.ops.control_flow.control_flow_ops import with_dependencies
from reflow.eager.variables import Variable


def _is_tensor(x: Any) -> bool:
    """Whether something is a tensor or a variable."""
    return isinstance(x, (Tensor, Variable))


def _ImageDimensions(image: Any, rank: int) -> list:
    """The sizes of an image: numbers where they are known, else scalar tensors."""
    known = image.shape.with_rank(rank).as_list()
    if None not in known:
        return known
    found = arrange.unstack(arrange.shape(image), rank)
    return [size if size is not None else tensor for size, tensor in zip(known, found, strict=True)]


def _shape(image: Any, rank: int, require_static: bool, too_few: str, not_known: str) -> Any:
    """The shape of an image, which has at least `rank` axes."""
    try:
        shape = image.shape.with_rank(rank) if image.shape.rank is None else image.shape.with_rank_at_least(rank)
    except ValueError:
        raise ValueError(too_few.format(image.shape)) from None
    if require_static and not shape.is_fully_defined():
        raise ValueError(not_known.format(shape))
    return shape


def _Check3DImage(image: Any, require_static: bool = True) -> list:
    """Assertions that an image has three axes, none of them empty."""
    too_few = "'image' (shape {}) must be three-dimensional."
    shape = _shape(image, 3, require_static, too_few, "'image' (shape {}) must be fully defined.")
    if shape.rank != 3:
        raise ValueError(too_few.format(image.shape))
    if 0 in shape.as_list():
        raise ValueError(f"all dims of 'image.shape' must be > 0: {shape}")
    if shape.is_fully_defined():
        return []
    return [asserts.assert_positive(arrange.shape(image), "all dims of 'image.shape' must be > 0.")]


def _Assert3DImage(image: Any) -> Any:
    """The image, after `_Check3DImage`."""
    return with_dependencies(_Check3DImage(image, require_static=False), image)


def _CheckAtLeast3DImage(image: Any, require_static: bool = True) -> list:
    """Assertions that an image, or a batch of them, has three axes or more, and that the last three are not empty."""
    shape = _shape(
        image, 3, require_static, "'image' (shape {}) must be at least three-dimensional.",
        "'image' must be fully defined.",
    )
    if 0 in shape.as_list()[-3:]:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {shape}")
    if shape[-3:].is_fully_defined():
        return []
    return [
        asserts.assert_positive(arrange.shape(image)[-3:], "inner 3 dims of 'image.shape' must be > 0."),
        asserts.assert_greater_equal(arrange.rank(image), 3, "'image' must be at least three-dimensional."),
    ]


def _AssertAtLeast3DImage(image: Any) -> Any:
    """The image, after `_CheckAtLeast3DImage`."""
    return with_dependencies(_CheckAtLeast3DImage(image, require_static=False), image)


def _CheckGrayscaleImage(image: Any, require_static: bool = True) -> list:
    """Assertions that the last axis of an image has one element."""
    shape = _shape(
        image, 2, require_static, "A grayscale image (shape {}) must be at least two-dimensional.",
        "'image' must be fully defined.",
    )
    message = "Last dimension of a grayscale image should be size 1."
    if shape.is_fully_defined():
        if shape[-1] != 1:
            raise ValueError(message)
        return []
    return [
        asserts.assert_equal(arrange.shape(image)[-1], 1, message),
        asserts.assert_greater_equal(
            arrange.rank(image), 3, "A grayscale image must be at least two-dimensional."
        ),
    ]


def _AssertGrayscaleImage(image: Any) -> Any:
    """The image, after `_CheckGrayscaleImage`."""
    return with_dependencies(_CheckGrayscaleImage(image, require_static=False), image)


def fix_image_flip_shape(image: Any, result: Any) -> Any:
    """`result` with the shape of `image`; with three axes if nothing is known of it."""
    result.set_shape([None] * 3 if image.shape.rank is None else image.shape)
    return result


def _verify_compatible_image_shapes(img1: Any, img2: Any) -> tuple[Any, Any, list]:
    """(the shape of one batch of images as a tensor, that of the other, assertions that they can be compared).

    Raises:
        ValueError: they cannot.
    """
    one, two = (image.shape.with_rank_at_least(3) for image in (img1, img2))
    if None not in (one.rank, two.rank):
        one[-3:].assert_is_compatible_with(two[-3:])
        for size, other in zip(one.as_list()[-4::-1], two.as_list()[-4::-1], strict=False):
            if 1 not in (size, other) and None not in (size, other) and size != other:
                raise ValueError(f"Two images are not compatible: {one} and {two}")
    sizes = arrange.shape_n([img1, img2])
    checks = [
        Assert(logic.greater_equal(arrange.size(sizes[0]), 3), sizes, summarize=10),
        Assert(reduce.reduce_all(logic.equal(sizes[0][-3:], sizes[1][-3:])), sizes, summarize=10),
    ]
    return sizes[0], sizes[1], checks
