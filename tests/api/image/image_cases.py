"""Programs of `tf.image` whose results are TensorFlow's: `tools/golden/image.py` records them, `test_image_names.py`
runs them.

A case is a function of `tf` that returns one tensor or several. This file imports neither TensorFlow nor Reflow.
"""

import numpy as np

_RANDOM = np.random.RandomState(4)
A = _RANDOM.rand(2, 6, 7, 3).astype(np.float32)
B = _RANDOM.rand(2, 6, 7, 3).astype(np.float32)
LARGE_A = _RANDOM.rand(2, 27, 31, 2).astype(np.float32)
LARGE_B = np.clip(LARGE_A + 0.2 * _RANDOM.rand(2, 27, 31, 2), 0, 1).astype(np.float32)
BYTES = (A[0] * 255).astype(np.uint8)
SEEDS = ((1, 2), (7, 0), (-3, 12345))
BOXES = np.sort(_RANDOM.rand(2, 40, 2, 2), axis=2).reshape(2, 40, 4).astype(np.float32)
SCORES = _RANDOM.rand(2, 40).astype(np.float32)
NO_PICTURE = np.zeros([2, 2], np.float32)

VALUES = {
    "total_variation": lambda tf: [tf.image.total_variation(tf.constant(x)) for x in (A, A[0])],
    "total_variation int32": lambda tf: tf.image.total_variation(tf.constant(BYTES.astype(np.int32))),
    "image_gradients": lambda tf: tf.image.image_gradients(tf.constant(A)),
    "psnr": lambda tf: [tf.image.psnr(tf.constant(A), tf.constant(B), 1.0), tf.image.psnr(A[0], A[0], 1.0)],
    "psnr uint8": lambda tf: tf.image.psnr(tf.constant(BYTES), tf.constant(BYTES[::-1].copy()), 255),
    "psnr broadcast": lambda tf: tf.image.psnr(tf.constant(A[:1]), tf.constant(B), 2.0),
    "ssim_multiscale": lambda tf: tf.image.ssim_multiscale(LARGE_A, LARGE_B, 1.0, (0.3, 0.3, 0.4), filter_size=5),
    "ssim_multiscale uint8": lambda tf: tf.image.ssim_multiscale(
        (LARGE_A * 255).astype(np.uint8), (LARGE_B * 255).astype(np.uint8), 255, (0.5, 0.5), 7, 1.0, 0.02, 0.05
    ),
    "non_max_suppression half": lambda tf: tf.image.non_max_suppression(
        tf.constant(BOXES[0], tf.float16), tf.constant(SCORES[0], tf.float16), 20, 0.3
    ),
    "non_max_suppression none": lambda tf: tf.image.non_max_suppression(BOXES[0], SCORES[0], 0),
    "crop_and_resize float64": lambda tf: tf.image.crop_and_resize(
        A.astype(np.float64), BOXES[0][:3], [0, 1, 1], [2, 3]
    ),
    "draw_bounding_boxes half": lambda tf: tf.image.draw_bounding_boxes(
        tf.constant(A, tf.float16), BOXES[:, :3], [[0.3] * 3]
    ),
    "is_jpeg": lambda tf: tf.image.is_jpeg([b"\xff\xd8\xff\xe0abc", b"\xff\xd8", b"", b"GIF"]),
}
for _name in ("rgb_to_yuv", "yuv_to_rgb", "rgb_to_yiq", "yiq_to_rgb"):
    VALUES[_name] = lambda tf, _n=_name: [
        getattr(tf.image, _n)(tf.constant(x)) for x in (A, A[0], A.astype(np.float64))
    ]
for _seed in SEEDS:
    for _name, _arguments in {
        "brightness": {"max_delta": 0.4},
        "contrast": {"lower": 0.2, "upper": 1.8},
        "saturation": {"lower": 0.2, "upper": 1.8},
        "hue": {"max_delta": 0.3},
        "flip_left_right": {},
        "flip_up_down": {},
    }.items():
        VALUES[f"stateless_random_{_name} {_seed}"] = lambda tf, _n=_name, _a=_arguments, _s=_seed: [
            getattr(tf.image, f"stateless_random_{_n}")(tf.constant(x), **_a, seed=_s) for x in (A, A[0], BYTES)
        ]
    VALUES[f"stateless_random_crop {_seed}"] = lambda tf, _s=_seed: [
        tf.image.stateless_random_crop(x, size, seed=_s) for x, size in ((A, [1, 3, 4, 3]), (BYTES, [2, 7, 1]))
    ]
for _label, _options in {
    "plain": {},
    "score": {"score_threshold": 0.4},
    "tiles": {"tile_size": 8},
    "ordered": {"canonicalized_coordinates": True, "tile_size": 16, "iou_threshold": 0.2},
}.items():
    VALUES[f"non_max_suppression_padded {_label}"] = lambda tf, _o=_options: [
        *tf.image.non_max_suppression_padded(
            tf.constant(BOXES), tf.constant(SCORES), 30, pad_to_max_output_size=True, **_o
        ),
        *tf.image.non_max_suppression_padded(tf.constant(BOXES[1]), tf.constant(SCORES[1]), 7, **_o),
        *tf.image.non_max_suppression_padded(
            tf.constant(BOXES[0, :, [2, 3, 0, 1]].T), tf.constant(SCORES[1]), 50, **_o
        ),
    ]
VALUES["non_max_suppression_padded sorted"] = lambda tf: tf.image.non_max_suppression_padded(
    tf.constant(BOXES), tf.constant(SCORES), 45, 0.4, pad_to_max_output_size=True, sorted_input=True
)

ERRORS = {
    "iou": lambda tf: tf.image.non_max_suppression(BOXES[0], SCORES[0], 3, iou_threshold=2.0),
    "negative size": lambda tf: tf.image.non_max_suppression(BOXES[0], SCORES[0], -1),
    "few scores": lambda tf: tf.image.non_max_suppression(BOXES[0], SCORES[0, :3], 3),
    "box columns": lambda tf: tf.image.non_max_suppression(BOXES[0, :, :3], SCORES[0], 3),
    "sigma": lambda tf: tf.image.non_max_suppression_with_scores(BOXES[0], SCORES[0], 3, soft_nms_sigma=-1.0),
    "not square": lambda tf: tf.image.non_max_suppression_overlaps(BOXES[0], SCORES[0], 3),
    "padded batch": lambda tf: tf.image.non_max_suppression_padded(tf.constant(BOXES), SCORES, 3),
    "combined rank": lambda tf: tf.image.combined_non_max_suppression(BOXES, SCORES[..., None], 1, 1),
    "combined size": lambda tf: tf.image.combined_non_max_suppression(BOXES[:, :, None], SCORES[..., None], 1, 0),
    "box index": lambda tf: tf.image.crop_and_resize(A, BOXES[0, :1], [2], [2, 2]),
    "negative box index": lambda tf: tf.image.crop_and_resize(A, BOXES[0, :1], [-1], [2, 2]),
    "box indices": lambda tf: tf.image.crop_and_resize(A, BOXES[0, :1], [0, 1], [2, 2]),
    "crop of nothing": lambda tf: tf.image.crop_and_resize(A, BOXES[0, :1], [0], [2, 0]),
    "crop of a picture": lambda tf: tf.image.crop_and_resize(A[0], BOXES[0, :1], [0], [2, 2]),
    "crop size": lambda tf: tf.image.crop_and_resize(A, BOXES[0, :1], [0], [2]),
    "two channels": lambda tf: tf.image.draw_bounding_boxes(LARGE_A, BOXES, None),
    "few colours": lambda tf: tf.image.draw_bounding_boxes(A, BOXES, [[0.1, 0.2]]),
    "colours of rank 1": lambda tf: tf.image.draw_bounding_boxes(A, BOXES, [0.1, 0.2, 0.3]),
    "batches": lambda tf: tf.image.draw_bounding_boxes(A[:1], BOXES, None),
    "noise": lambda tf: tf.image.extract_glimpse(A, [1, 1], [[0.0, 0.0]] * 2, noise="pink"),
    "no boxes": lambda tf: tf.image.sample_distorted_bounding_box([4, 5, 3], np.zeros([0, 0, 4], np.float32)),
    "box too large": lambda tf: tf.image.stateless_sample_distorted_bounding_box([4, 5, 3], [[[0, 0, 1, 2.0]]], (1, 2)),
    "area": lambda tf: tf.image.stateless_sample_distorted_bounding_box(
        [4, 5, 3], BOXES, (1, 2), area_range=[0.0, 2.0]
    ),
    "variation rank": lambda tf: tf.image.total_variation(tf.constant(NO_PICTURE)),
    "gradients rank": lambda tf: tf.image.image_gradients(tf.constant(NO_PICTURE)),
    "psnr rank": lambda tf: tf.image.psnr(NO_PICTURE, NO_PICTURE, 1.0),
    "psnr channels": lambda tf: tf.image.psnr(A, A[..., :1], 1.0),
    "crop too large": lambda tf: tf.image.stateless_random_crop(A[0], [9, 1, 1], seed=(1, 2)),
    "brightness": lambda tf: tf.image.stateless_random_brightness(A, -1.0, seed=(1, 2)),
    "contrast": lambda tf: tf.image.stateless_random_contrast(A, 0.5, 0.5, seed=(1, 2)),
    "saturation": lambda tf: tf.image.stateless_random_saturation(A, -0.5, 0.5, seed=(1, 2)),
    "hue": lambda tf: tf.image.stateless_random_hue(A, 0.6, seed=(1, 2)),
    "quality": lambda tf: tf.image.stateless_random_jpeg_quality(A[0], 50, 101, seed=(1, 2)),
    "qualities": lambda tf: tf.image.random_jpeg_quality(A[0], 50, 50),
    "quality of a file": lambda tf: tf.image.adjust_jpeg_quality(A[0], 101),
}


def gradients(tf):
    """Name -> the gradients of functions of two images that TensorFlow differentiates."""
    programs = {
        "total_variation": lambda x, y: tf.image.total_variation(x * y),
        "psnr": lambda x, y: tf.image.psnr(x, y, 1.0),
        "image_gradients": lambda x, y: tf.square(tf.image.image_gradients(x * y)[1]),
        "rgb_to_yuv": lambda x, y: tf.square(tf.image.rgb_to_yuv(x)) * y,
        "ssim_multiscale": lambda x, y: tf.image.ssim_multiscale(x, 0.8 * x + 0.2 * y, 1.0, (0.4, 0.6), filter_size=3),
        "stateless_random_brightness": lambda x, y: y * tf.image.stateless_random_brightness(x, 0.5, seed=(1, 2)),
        "stateless_random_flip": lambda x, y: y * tf.image.stateless_random_flip_up_down(x, seed=(1, 2)),
    }
    found = {}
    for name, program in programs.items():
        with tf.GradientTape() as tape:
            images = tf.constant(A), tf.constant(B)
            tape.watch(images)
            result = program(*images)
        found[name] = tape.gradient(result, images)
    return found


def flat(result) -> list:
    return list(result) if isinstance(result, (list, tuple)) else [result]
