"""Records files as TensorFlow writes them, and pictures as it changes them, in `tests/golden/files/`.

TFRecord files (plain, gzip, zlib) of two Examples, an event file, `image.npz`, pictures.
"""

import shutil

import numpy as np
import tensorflow as tf

from tools.golden import GOLDEN

OUT = GOLDEN / "files"


def example(i):
    feature = {
        "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"picture %d" % i])),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
        "numbers": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5] * i)),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString(deterministic=True)


def records():
    for kind in ("", "GZIP", "ZLIB"):
        with tf.io.TFRecordWriter(str(OUT / f"two{kind}.tfrecords"), options=kind) as writer:
            for i in (1, 2):
                writer.write(example(i))


def events():
    folder = OUT / "events"
    shutil.rmtree(folder, ignore_errors=True)
    with tf.summary.create_file_writer(str(folder)).as_default():
        for step in range(2):
            tf.summary.scalar("loss", 0.5 * step, step=step)
            tf.summary.histogram("h", np.arange(7.0), step=step, buckets=3)
            tf.summary.histogram("same", [2.0, 2.0], step=step, buckets=3)
            tf.summary.text("t", "hello", step=step)
            with tf.name_scope("outer"):
                tf.summary.image("im", np.zeros([1, 2, 3, 1], np.uint8), step=step)
    (file,) = folder.iterdir()
    file.rename(folder / "events.out.tfevents.0.host.v2")


def pictures():
    x = np.random.RandomState(0).rand(2, 5, 6, 3).astype("float32")
    eight = (x * 255).astype("uint8")
    found = {"x": x, "eight": eight}
    for name, call in {
        "rot90": lambda t: tf.image.rot90(t),
        "rot90_3": lambda t: tf.image.rot90(t, 3),
        "flip_left_right": tf.image.flip_left_right,
        "flip_up_down": tf.image.flip_up_down,
        "transpose": tf.image.transpose,
        "central_crop": lambda t: tf.image.central_crop(t, 0.5),
        "crop_or_pad": lambda t: tf.image.resize_with_crop_or_pad(t, 7, 3),
        "brightness": lambda t: tf.image.adjust_brightness(t, 0.2),
        "contrast": lambda t: tf.image.adjust_contrast(t, 0.5),
        "gamma": lambda t: tf.image.adjust_gamma(t, 2.0, 0.5),
        "saturation": lambda t: tf.image.adjust_saturation(t, 1.5),
        "hue": lambda t: tf.image.adjust_hue(t, 0.3),
        "standard": tf.image.per_image_standardization,
    }.items():
        found[f"float/{name}"], found[f"eight/{name}"] = call(x).numpy(), call(eight).numpy()
    tf.random.set_seed(3)
    found["random_crop"] = tf.image.random_crop(x[0], [2, 3, 3], seed=5).numpy()
    found["random_flip"] = tf.image.random_flip_left_right(x[0], seed=5).numpy()
    found["random_brightness"] = tf.image.random_brightness(x[0], 0.3, seed=5).numpy()
    found["jpeg_pixels"] = tf.io.decode_jpeg(tf.io.encode_jpeg(eight[0])).numpy()
    np.savez_compressed(OUT / "image.npz", **found)
    (OUT / "picture.jpg").write_bytes(tf.io.encode_jpeg(eight[0]).numpy())
    (OUT / "picture.png").write_bytes(tf.io.encode_png(eight[0]).numpy())


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    records()
    events()
    pictures()
