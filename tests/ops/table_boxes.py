"""Boxes on images: choosing among them, cutting them out, drawing them; JPEG files in parts."""
# ruff: noqa: E501 - a case is one line

from tests.ops.inputs import const, ints, normal, probability
from tests.ops.table import case, raw
from tests.ops.table_data import JPEG

CORNERS = [[0.1, 0.2, 0.9, 0.7], [0.9, 0.8, 0.1, -0.1], [0.0, 0.0, 1.0, 1.0], [-0.3, 0.4, 0.5, 1.4]]
CROPPED = (10.0, "sums of some fifty products in another order")
LIMITS = {"iou_threshold": 0.3, "score_threshold": 0.05}


def boxes_of(tf, x):
    """Boxes around random middles, of which many overlap; every third has its corners swapped."""
    middle, size = x[:, :2], 0.1 + 0.3 * x[:, 2:]
    low, high = middle - size, middle + size
    swap = tf.reshape(tf.range(x.shape[0]) % 3 == 0, [-1, 1]) if x.shape[0] is not None else tf.zeros_like(low, tf.bool)
    return tf.concat([tf.where(swap, high, low), tf.where(swap, low, high)], 1)


case("NonMaxSuppressionV3", lambda tf, x, s: raw(tf, "NonMaxSuppressionV3", boxes=x, scores=s, max_output_size=9, **LIMITS), probability(20, 4), probability(20), grad=False)
case("NonMaxSuppressionV3 ties", lambda tf, x, s: raw(tf, "NonMaxSuppressionV3", boxes=x, scores=tf.round(s * 4.0), max_output_size=30, iou_threshold=0.6, score_threshold=0.0), probability(25, 4), probability(25), grad=False)
for _pad in (False, True):
    case(f"NonMaxSuppressionV4 {_pad}", lambda tf, x, s, _p=_pad: list(raw(tf, "NonMaxSuppressionV4", boxes=x, scores=s, max_output_size=12, pad_to_max_output_size=_p, **LIMITS)),
         probability(20, 4), probability(20), grad=False)
    for _sigma in (0.0, 0.5):
        case(f"NonMaxSuppressionV5 {_pad} {_sigma}", lambda tf, x, s, _p=_pad, _s=_sigma: list(raw(
            tf, "NonMaxSuppressionV5", boxes=x, scores=s, max_output_size=15, soft_nms_sigma=_s, pad_to_max_output_size=_p, **LIMITS)), probability(20, 4), probability(20), grad=False)
case("NonMaxSuppressionV5 soft", lambda tf, x, s: list(tf.image.non_max_suppression_with_scores(boxes_of(tf, x), s, 30, 0.9, 0.1, soft_nms_sigma=0.2)), probability(30, 4), probability(30), grad=False)
case("NonMaxSuppressionWithOverlaps", lambda tf, x, s: tf.image.non_max_suppression_overlaps(x, s, 6, 0.7, 0.1), probability(12, 12), probability(12), grad=False)
for _pad, _clip in ((False, True), (True, False)):
    case(f"CombinedNonMaxSuppression {_pad}", lambda tf, x, s, _p=_pad, _c=_clip: list(tf.image.combined_non_max_suppression(
        x * 1.5, s, 3, 7, 0.4, 0.2, pad_per_class=_p, clip_boxes=_c)), probability(2, 8, 1, 4), probability(2, 8, 2), grad=False)
case("CombinedNonMaxSuppression classes", lambda tf, x, s: list(tf.image.combined_non_max_suppression(x, s, 3, 7, 0.4, 0.2)), probability(2, 8, 2, 4), probability(2, 8, 2), grad=False)
for _how in ("bilinear", "nearest"):
    case(f"CropAndResize {_how}", lambda tf, x, b, _h=_how: raw(tf, "CropAndResize", image=x, boxes=b, box_ind=[1, 0, 1, 0], crop_size=[4, 5], method=_h, extrapolation_value=0.5),
         normal(2, 6, 7, 3), const(CORNERS), loose=CROPPED, covers=("CropAndResizeGradImage", "CropAndResizeGradBoxes"))
    case(f"CropAndResizeGradImage {_how}", lambda tf, g, b, _h=_how: raw(tf, "CropAndResizeGradImage", grads=g, boxes=b, box_ind=[1, 0, 1, 0], image_size=[2, 6, 7, 3], T=tf.float32, method=_h),
         normal(4, 5, 4, 3), const(CORNERS), grad=False, loose=CROPPED)
case("CropAndResize one", lambda tf, x, b: tf.image.crop_and_resize(x, b, [0, 0, 0, 0], [1, 1]), normal(1, 6, 7, 2), const(CORNERS), loose=CROPPED)
case("CropAndResize integers", lambda tf, x, b: tf.image.crop_and_resize(x, b, [0, 0, 0, 0], [3, 2]), ints(0, 255, 1, 6, 7, 2, dtype="uint8"), const(CORNERS), loose=CROPPED)
case("CropAndResizeGradBoxes", lambda tf, g, x, b: raw(tf, "CropAndResizeGradBoxes", grads=g, image=x, boxes=b, box_ind=[1, 0, 1, 0]), normal(4, 5, 4, 3), normal(2, 6, 7, 3), const(CORNERS), grad=False, loose=CROPPED)
for _depth in (1, 3, 4):
    case(f"DrawBoundingBoxes {_depth}", lambda tf, x, b: tf.image.draw_bounding_boxes(x, b, None), normal(2, 7, 9, _depth), const([CORNERS, CORNERS[::-1]]), grad=False)
case("DrawBoundingBoxesV2", lambda tf, x, b, c: tf.image.draw_bounding_boxes(x, b, c), normal(2, 7, 9, 3), const([CORNERS, CORNERS[::-1]]), normal(3, 4), grad=False)
case("DrawBoundingBoxesV2 no colours", lambda tf, x, b, c: tf.image.draw_bounding_boxes(x, b, c), normal(1, 7, 9, 3), const([CORNERS * 3]), normal(0, 3), grad=False)
for _centered in (False, True):
    for _normalized in (False, True):
        case(f"ExtractGlimpseV2 {_centered} {_normalized}", lambda tf, x, o, _c=_centered, _n=_normalized: tf.image.extract_glimpse(x, [3, 4], o, centered=_c, normalized=_n, noise="zero"),
             normal(3, 6, 7, 2), const([[0.3, 0.4], [-1.6, 0.9], [2.2, -0.7]]), grad=False)
for _area, _ratio, _share in (((0.05, 1.0), (0.75, 1.33), 0.1), ((0.3, 0.4), (0.3, 3.0), 0.6), ((0.9, 1.0), (2.0, 3.0), 0.1)):
    case(f"StatelessSampleDistortedBoundingBox {_share} {_area[0]}", lambda tf, s, _a=_area, _r=_ratio, _m=_share: [p for i in range(12) for p in tf.image.stateless_sample_distorted_bounding_box(
        [47, 61, 3], [[[0.1, 0.2, 0.5, 0.9], [0.6, 0.6, 0.8, 0.7]]], tf.stack([s, s + i]), _m, _r, _a, 20)], const(7, "int32"), grad=False, modes=("eager",))
case("SampleDistortedBoundingBoxV2", lambda tf, x: (tf.random.set_seed(3), [p for i in range(8) for p in tf.image.sample_distorted_bounding_box([47, 61, 3], x, 5)])[1],
     const([[[0.1, 0.2, 0.5, 0.9], [0.6, 0.6, 0.8, 0.7]]]), grad=False, modes=("eager",))
# one channel: TensorFlow interpolates colours at the edges of the window as if the picture ended there, decode_jpeg and Pillow do not
case("DecodeAndCropJpeg", lambda tf: [tf.io.decode_and_crop_jpeg(JPEG, window, channels=1, dct_method="INTEGER_ACCURATE") for window in ([0, 0, 3, 2], [1, 1, 2, 3])], modes=("eager",), grad=False)
case("EncodeJpegVariableQuality", lambda tf, x: [tf.image.adjust_jpeg_quality(x, quality, "INTEGER_ACCURATE") for quality in (5, 60, 100)], ints(0, 256, 16, 16, 1, dtype="uint8"), modes=("eager",), grad=False)
