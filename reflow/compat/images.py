"""`tf.compat.v1.image`: resizing as in TensorFlow 1, with aligned corners, without pixel centers; old names."""

from __future__ import annotations

from collections.abc import Callable

from reflow.api.array import arrange
from reflow.api.call import call
from reflow.api.export import export, export_function
from reflow.api.image import boxes as box_functions
from reflow.api.image import sizes as size_functions
from reflow.api.ragged.products import resize_images as ragged_images
from reflow.compat.functions import either
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.ops.convert import convert_to_tensor
from reflow.ops.random_state import deterministic


@export("compat.v1.image.ResizeMethod")
class ResizeMethod:
    """How `resize_images` finds the value of a pixel.

    >>> method = tf.compat.v1.image.ResizeMethod.NEAREST_NEIGHBOR
    >>> tf.compat.v1.image.resize_images([[[0.0], [2.0]]], [1, 4], method)[0, :, 0].numpy().tolist()
    [0.0, 0.0, 2.0, 2.0]
    """

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def _resizer(op: str, public: str, centres: bool = True, *, example: str) -> Callable:
    """A function for one op; ops with `centres` can take pixels at their centres."""
    if centres:

        def function(images, size, align_corners=False, name=None, half_pixel_centers=False):
            attrs = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
            return call(op, (convert_to_tensor(images), convert_to_tensor(size, dtypes.int32)), attrs, name)

    else:

        def function(images, size, align_corners=False, name=None):  # type: ignore[misc]
            return call(
                op, (convert_to_tensor(images), convert_to_tensor(size, dtypes.int32)),
                {"align_corners": align_corners}, name,
            )

    return export_function(
        function, f"compat.v1.image.{public}", doc=f"Images of another size, by the op {op}.", example=example
    )


resize_bilinear = _resizer("ResizeBilinear", "resize_bilinear", example="""
    >>> image = tf.reshape([0.0, 2.0], [1, 1, 2, 1])
    >>> tf.compat.v1.image.resize_bilinear(image, [1, 4]).numpy().ravel().tolist()
    [0.0, 1.0, 2.0, 2.0]
""")
resize_nearest_neighbor = _resizer("ResizeNearestNeighbor", "resize_nearest_neighbor", example="""
    >>> image = tf.reshape([0.0, 2.0], [1, 1, 2, 1])
    >>> tf.compat.v1.image.resize_nearest_neighbor(image, [1, 4]).numpy().ravel().tolist()
    [0.0, 0.0, 2.0, 2.0]
""")
resize_bicubic = _resizer("ResizeBicubic", "resize_bicubic", example="""
    >>> image = tf.reshape([0.0, 2.0], [1, 1, 2, 1])
    >>> tf.compat.v1.image.resize_bicubic(image, [1, 4]).numpy().ravel().tolist()
    [0.0, 1.0, 2.0, 2.1875]
""")
resize_area = _resizer("ResizeArea", "resize_area", centres=False, example="""
    >>> image = tf.reshape([0.0, 2.0, 4.0, 6.0], [1, 1, 4, 1])
    >>> tf.compat.v1.image.resize_area(image, [1, 2]).numpy().ravel().tolist()
    [1.0, 5.0]
""")
_METHODS = {
    ResizeMethod.BILINEAR: resize_bilinear, ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    ResizeMethod.BICUBIC: resize_bicubic, ResizeMethod.AREA: resize_area,
    "bilinear": resize_bilinear, "nearest": resize_nearest_neighbor, "bicubic": resize_bicubic, "area": resize_area,
}  # fmt: skip


def _takes_ragged(function: Callable) -> Callable:
    """Mark a function that handles ragged tensors itself.

    Below `export`: what teaches functions about them looks at the mark at once.
    """
    function.takes_ragged = True  # type: ignore[attr-defined]
    return function


@export("compat.v1.image.resize_images", "compat.v1.image.resize")
@_takes_ragged
def resize_images(
    images, size, method=ResizeMethod.BILINEAR, align_corners=False, preserve_aspect_ratio=False, name=None
):
    """Images, or one image, of another size.

    >>> tf.compat.v1.image.resize_images([[[0.0], [2.0]]], [1, 4]).numpy()[0, :, 0].tolist()
    [0.0, 1.0, 2.0, 2.0]
    """
    resize = _METHODS.get(method)
    if resize is None:
        raise ValueError(f"Resize method is not implemented: {method}")
    if isinstance(images, RaggedTensor):
        return ragged_images(
            images, size, method, preserve_aspect_ratio, name=name,
            resize=lambda image, size: resize_images(image, size, method, align_corners),
        )
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
    """`tf.image.crop_and_resize`, which also knows `box_ind`.

    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> crop = tf.compat.v1.image.crop_and_resize(image, [[0.0, 0.0, 1.0, 1.0]], box_ind=[0], crop_size=[2, 2])
    >>> crop[0, :, :, 0].numpy().tolist()
    [[0.0, 3.0], [12.0, 15.0]]
    """
    indices = either(box_indices, box_ind, "box_indices", "box_ind")
    return box_functions.crop_and_resize(image, boxes, indices, crop_size, method, extrapolation_value, name)


@export("compat.v1.extract_image_patches", "compat.v1.image.extract_image_patches")
def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None):
    """`tf.image.extract_patches`, which also knows `ksizes`.

    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> patches = tf.compat.v1.extract_image_patches(image, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
    >>> patches[0, 0].numpy().tolist()
    [[0.0, 1.0, 4.0, 5.0], [2.0, 3.0, 6.0, 7.0]]
    """
    return size_functions.extract_patches(
        images, either(sizes, ksizes, "sizes", "ksizes"), strides, rates, padding, name
    )


@export("compat.v1.image.draw_bounding_boxes")
def draw_bounding_boxes(images, boxes, name=None, colors=None):
    """`tf.image.draw_bounding_boxes`; without `colors` it takes ten given ones by turns.

    >>> tf.compat.v1.image.draw_bounding_boxes(
    ...     tf.zeros([1, 3, 3, 1]), [[[0.0, 0.0, 1.0, 1.0]]]
    ... )[0, :, :, 0].numpy().tolist()
    [[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
    """
    return box_functions.draw_bounding_boxes(images, boxes, colors, name)


@export("compat.v1.image.extract_glimpse")
def extract_glimpse(input, size, offsets, centered=True, normalized=True, uniform_noise=True, name=None):
    """A window of each image at its place [y, x]; outside of the image there is noise, uniform or normal.

    >>> tf.compat.v1.image.extract_glimpse(tf.ones([1, 3, 3, 1]), [2, 2], [[0.0, 0.0]]).shape.as_list()
    [1, 2, 2, 1]
    """
    attrs = {"centered": centered, "normalized": normalized, "uniform_noise": uniform_noise}
    floats = [convert_to_tensor(x, dtypes.float32) for x in (input, offsets)]
    return call("ExtractGlimpse", (floats[0], convert_to_tensor(size, dtypes.int32), floats[1]), attrs, name)


@export("compat.v1.image.resize_image_with_pad")
def resize_image_with_pad(image, target_height, target_width, method=ResizeMethod.BILINEAR, align_corners=False):
    """Images scaled to fit into a size, with zeros around them.

    >>> tf.compat.v1.image.resize_image_with_pad(tf.ones([2, 2, 1]), 2, 4)[0, :, 0].numpy().tolist()
    [0.0, 1.0, 1.0, 0.0]
    """

    def resize(images, size):
        return resize_images(images, size, method, align_corners)

    return size_functions.padded(image, target_height, target_width, resize)


@export("compat.v1.image.sample_distorted_bounding_box")
def sample_distorted_bounding_box(
    image_size, bounding_boxes, seed=None, seed2=None, min_object_covered=0.1, aspect_ratio_range=None, area_range=None,
    max_attempts=None, use_image_if_no_bounding_boxes=None, name=None,
):
    """A random part of an image that holds enough of one of the boxes; `seed` and `seed2` are those of the op.

    >>> v1 = tf.compat.v1.image.sample_distorted_bounding_box([40, 60, 3], [[[0.2, 0.2, 0.8, 0.8]]], seed=1)
    >>> [part.shape.as_list() for part in v1]
    [[3], [3], [1, 1, 4]]
    """
    if not seed and not seed2 and deterministic():
        raise ValueError(
            'tf.compat.v1.image.sample_distorted_bounding_box requires "seed" or "seed2" to be non-zero when '
            'determinism is enabled. Please pass in a non-zero seed, e.g. by passing "seed=1". '
            f"Got seed={seed} and seed2={seed2}"
        )
    options = box_functions._options(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    floats = [convert_to_tensor(x, dtypes.float32) for x in (bounding_boxes, min_object_covered)]
    attrs = {"seed": seed or 0, "seed2": seed2 or 0, **options}
    return call("SampleDistortedBoundingBoxV2", (convert_to_tensor(image_size), *floats), attrs, name)
