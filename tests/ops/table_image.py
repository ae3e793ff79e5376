"""Images, fake quantization, CTC decoding, sets and counts."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import const, ints, normal, probability
from tests.ops.table import FLOATS, case, raw

RESIZED = (10.0, "sums of some fifty products in another order")
FILTERS = ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic")
TURN = [[1.1, 0.2, -0.5, 0.1, 0.9, 0.7, 0.01, 0.02]]


def parts(sparse):
    return [sparse.indices, sparse.values, sparse.dense_shape]


# --- resizing

for _kernel in FILTERS:
    case(f"ScaleAndTranslate {_kernel}", lambda tf, x, _k=_kernel: raw(tf, "ScaleAndTranslate", images=x, size=[3, 7], scale=[0.6, 1.4], translation=[0.3, -0.2],
                                                                     kernel_type=_k), normal(1, 5, 5, 2), loose=RESIZED, covers=("ScaleAndTranslateGrad",))
case("ScaleAndTranslate aliased", lambda tf, x: raw(tf, "ScaleAndTranslate", images=x, size=[3, 7], scale=[0.6, 1.4], translation=[0.0, 0.0], antialias=False),
     normal(1, 5, 5, 2), loose=RESIZED)
for _method in ("bilinear", "nearest", "bicubic", "area", "lanczos3", "mitchellcubic"):
    case({"area": "ResizeArea area", "nearest": "ResizeNearestNeighbor resize nearest"}.get(_method, f"ScaleAndTranslate resize {_method}"),
         lambda tf, x, _m=_method: tf.image.resize(x, [7, 3], method=_m, antialias=True), normal(1, 4, 5, 2), loose=RESIZED, grad=_method != "area")
case("ResizeNearestNeighborGrad", lambda tf, g: raw(tf, "ResizeNearestNeighborGrad", grads=g, size=[4, 3], half_pixel_centers=True), normal(1, 6, 5, 2), dtypes=FLOATS, grad=False)
case("ResizeBilinearGrad", lambda tf, g, x: raw(tf, "ResizeBilinearGrad", grads=g, original_image=x, half_pixel_centers=True), normal(1, 6, 5, 2), normal(1, 4, 3, 2), grad=False)
case("ResizeBicubicGrad", lambda tf, g, x: raw(tf, "ResizeBicubicGrad", grads=g, original_image=x, half_pixel_centers=True), normal(1, 6, 5, 2), normal(1, 4, 3, 2), grad=False)
case("ResizeBicubic legacy", lambda tf, x: raw(tf, "ResizeBicubic", images=x, size=[6, 5], align_corners=True), normal(1, 4, 3, 2), loose=RESIZED)
case("ResizeBilinear keep aspect", lambda tf, x: tf.image.resize(x, [6, 5], preserve_aspect_ratio=True), normal(1, 4, 3, 2), loose=RESIZED)
case("ResizeBilinear with pad", lambda tf, x: tf.image.resize_with_pad(x, 6, 9), normal(4, 3, 2), loose=RESIZED, modes=("eager",))

# --- boxes, patches, transforms, colours

case("Pad bounding box", lambda tf, x: tf.image.pad_to_bounding_box(x, 1, 2, 5, 7), normal(3, 4, 2))
case("Slice bounding box", lambda tf, x: tf.image.crop_to_bounding_box(x, 1, 2, 2, 2), normal(1, 3, 4, 2))
case("ExtractImagePatches rates", lambda tf, x: tf.image.extract_patches(x, [1, 3, 2, 1], [1, 2, 1, 1], [1, 1, 2, 1], "VALID"), normal(2, 5, 6, 3), dtypes=FLOATS)
for _fill in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
    for _how in ("NEAREST", "BILINEAR"):
        case(f"ImageProjectiveTransformV3 {_how} {_fill}", lambda tf, x, _f=_fill, _h=_how: raw(
            tf, "ImageProjectiveTransformV3", images=x, transforms=TURN, output_shape=[7, 8], fill_value=0.5, interpolation=_h, fill_mode=_f),
             normal(2, 5, 6, 3), loose=RESIZED)
case("RGBToHSV gradient", lambda tf, x: tf.image.rgb_to_hsv(x), probability(9, 3))
case("RGBToHSV ties", lambda tf, x: tf.image.rgb_to_hsv(x), const([[0.0, 0.5, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 0.5], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 1.0, 0.5]]))
case("RealDiv ssim", lambda tf, x, y: tf.image.ssim(x, y, 1.0), probability(1, 13, 12, 2), probability(1, 13, 12, 2), loose=(100.0, "a quotient of differences"), modes=("eager",))
case("DepthwiseConv2dNative sobel", lambda tf, x: tf.image.sobel_edges(x), normal(1, 4, 5, 2), loose=RESIZED, modes=("eager",))
case("Mul convert_image_dtype", lambda tf, x: [tf.image.convert_image_dtype(x, "float32"), tf.image.convert_image_dtype(x, "uint16"), tf.image.convert_image_dtype(
    tf.image.convert_image_dtype(x, "float32"), "int8", saturate=True)], ints(0, 255, 6, dtype="uint8"))
case("MatMul rgb_to_grayscale", lambda tf, x: tf.image.rgb_to_grayscale(x), probability(2, 2, 3))

# --- fake quantization

QUANTIZED = const([-1.5, -0.2, 0.0, 0.3, 0.49, 5.0, 6.2, 7.0])
case("FakeQuantWithMinMaxArgs", lambda tf, x: tf.quantization.fake_quant_with_min_max_args(x, -1.0, 6.1, num_bits=3), QUANTIZED)
case("FakeQuantWithMinMaxVars", lambda tf, x, a, b: tf.quantization.fake_quant_with_min_max_vars(x, a, b, num_bits=4, narrow_range=True), QUANTIZED, const(-1.0), const(6.1))
case("FakeQuantWithMinMaxVars unset", lambda tf, x, a, b: tf.quantization.fake_quant_with_min_max_vars(x, a, b), QUANTIZED, const(0.0), const(0.0))
case("FakeQuantWithMinMaxVarsPerChannel", lambda tf, x, a, b: tf.quantization.fake_quant_with_min_max_vars_per_channel(x, a, b, num_bits=4), normal(5, 2), const([-1.0, 0.1]), const([0.5, 1.0]))
case("FakeQuantWithMinMaxArgsGradient", lambda tf, g, x: raw(tf, "FakeQuantWithMinMaxArgsGradient", gradients=g, inputs=x, min=-1.0, max=6.1), normal(8), QUANTIZED, grad=False)
case("FakeQuantWithMinMaxVarsGradient", lambda tf, g, x: list(raw(tf, "FakeQuantWithMinMaxVarsGradient", gradients=g, inputs=x, min=-1.0, max=6.1)), normal(8), QUANTIZED, grad=False)
case("FakeQuantWithMinMaxVarsPerChannelGradient", lambda tf, g, x: list(raw(tf, "FakeQuantWithMinMaxVarsPerChannelGradient", gradients=g, inputs=x, min=[-1.0, 0.1], max=[0.5, 1.0])),
     normal(5, 2), normal(5, 2), grad=False)

# --- CTC

case("LogSoftmax ctc_loss", lambda tf, x: tf.nn.ctc_loss(tf.constant([[1, 2, 2], [3, 0, 0]]), x, [3, 1], [7, 5], blank_index=0), normal(7, 2, 5), loose=RESIZED)
case("CTCGreedyDecoder", lambda tf, x: (lambda found, score: [*parts(found[0]), score])(*tf.nn.ctc_greedy_decoder(x, [7, 5])), normal(7, 2, 5), dtypes=FLOATS, grad=False)
case("CTCBeamSearchDecoder", lambda tf, x: (lambda found, score: [*parts(found[0]), *parts(found[1]), score])(*tf.nn.ctc_beam_search_decoder(x, [7, 5], beam_width=10, top_paths=2)),
     normal(7, 2, 5), grad=False, loose=RESIZED)

# --- sets and counts

case("DenseToDenseSetOperation", lambda tf, a, b: [p for f in (tf.sets.union, tf.sets.intersection, tf.sets.difference) for p in parts(f(a, b))], ints(0, 5, 2, 4), ints(0, 5, 2, 4))
case("SparseToSparseSetOperation", lambda tf, a, b: parts(tf.sets.intersection(tf.sparse.from_dense(a), tf.sparse.from_dense(b))), ints(0, 5, 2, 4), ints(0, 5, 2, 4))
case("DenseToSparseSetOperation", lambda tf, a, b: parts(tf.sets.difference(tf.sparse.from_dense(a), b)), ints(0, 5, 2, 4), ints(0, 5, 2, 4))
case("SetSize", lambda tf, a: tf.sets.size(tf.sparse.from_dense(a)), ints(0, 3, 3, 4))
case("DenseCountSparseOutput", lambda tf, x: [p for kw in ({}, {"minlength": 7}, {"maxlength": 3}, {"binary_output": True}) for p in parts(tf.sparse.bincount(x, axis=-1, **kw))],
     ints(0, 5, 2, 4))
case("DenseCountSparseOutput weights", lambda tf, x, w: parts(tf.sparse.bincount(x, weights=w)), ints(0, 5, 2, 4), normal(2, 4), grad=False)
case("SparseCountSparseOutput", lambda tf, x: parts(tf.sparse.bincount(tf.sparse.from_dense(x), axis=-1)), ints(0, 5, 2, 4))
