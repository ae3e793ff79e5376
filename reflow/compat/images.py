"""`tf.compat.v1.image`: resizing as in TensorFlow 1, where corners may be aligned and pixels have no centres; old names of arguments."""

from __future__ import annotations

from collections.abc import Callable

from reflow.api.array import arrange
from reflow.api.call import call
from reflow.api.export import export, export_function
from reflow.api.image import boxes as box_functions
from reflow.api.image import sizes as size_functions
from reflow.compat.functions import either
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor


@export("compat.v1.image.ResizeMethod")
class ResizeMethod:
    """How `resize_images` finds the value of a pixel."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def _resizer(op: str, public: str, centres: bool = True) -> Callable:
    """A function for one op; ops with `centres` can take pixels at their centres."""
    if centres:

        def function(images, size, align_corners=False, name=None, half_pixel_centers=False):
            attrs = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
            return call(op, (convert_to_tensor(images), convert_to_tensor(size, dtypes.int32)), attrs, name)

    else:

        def function(images, size, align_corners=False, name=None):  # type: ignore[misc]
            return call(op, (convert_to_tensor(images), convert_to_tensor(size, dtypes.int32)), {"align_corners": align_corners}, name)

    return export_function(function, f"compat.v1.image.{public}", doc=f"Images of another size, by the op {op}.")


resize_bilinear = _resizer("ResizeBilinear", "resize_bilinear")
resize_nearest_neighbor = _resizer("ResizeNearestNeighbor", "resize_nearest_neighbor")
resize_bicubic = _resizer("ResizeBicubic", "resize_bicubic")
resize_area = _resizer("ResizeArea", "resize_area", centres=False)
_METHODS = {
    ResizeMethod.BILINEAR: resize_bilinear, ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    ResizeMethod.BICUBIC: resize_bicubic, ResizeMethod.AREA: resize_area,
    "bilinear": resize_bilinear, "nearest": resize_nearest_neighbor, "bicubic": resize_bicubic, "area": resize_area,
}  # fmt: skip


@export("compat.v1.image.resize_images", "compat.v1.image.resize")
def resize_images(images, size, method=ResizeMethod.BILINEAR, align_corners=False, preserve_aspect_ratio=False, name=None):
    """Images, or one image, of another size.

    >>> tf.compat.v1.image.resize_images([[[0.0], [2.0]]], [1, 4]).numpy()[0, :, 0].tolist()
    [0.0, 1.0, 2.0, 2.0]
    """
    resize = _METHODS.get(method)
    if resize is None:
        raise ValueError(f"Resize method is not implemented: {method}")
    images, is_batch = size_functions._batched(images)
    size = convert_to_tensor(size, dtypes.int32)
    if preserve_aspect_ratio:
        size = size_functions._fitting(images, size)
    wanted = arrange.get_static_value(size)
    if wanted is not None and images.shape[1:3].as_list() == wanted.tolist():
        out = images  # TensorFlow keeps the dtype of images that have this size already
    else:
        out = resize(images, size, align_corners, name)
    return out if is_batch else arrange.squeeze(out, [0])


@export("compat.v1.image.crop_and_resize")
def crop_and_resize(
    image, boxes, box_ind=None, crop_size=None, method="bilinear", extrapolation_value=0, name=None, box_indices=None,
):
    """`tf.image.crop_and_resize`, which also knows `box_ind`."""
    indices = either(box_indices, box_ind, "box_indices", "box_ind")
    return box_functions.crop_and_resize(image, boxes, indices, crop_size, method, extrapolation_value, name)


@export("compat.v1.extract_image_patches", "compat.v1.image.extract_image_patches")
def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None):
    """`tf.image.extract_patches`, which also knows `ksizes`."""
    return size_functions.extract_patches(images, either(sizes, ksizes, "sizes", "ksizes"), strides, rates, padding, name)


@export("compat.v1.image.draw_bounding_boxes")
def draw_bounding_boxes(images, boxes, name=None, colors=None):
    """`tf.image.draw_bounding_boxes`; without `colors` it takes ten given ones by turns."""
    return box_functions.draw_bounding_boxes(images, boxes, colors, name)
