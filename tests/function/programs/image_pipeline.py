"""Image preprocessing in a function and in a dataset: resize, crop, flips, brightness, encode and decode."""
import numpy as np
import tensorflow as tf

tf.random.set_seed(3)
img = tf.cast(tf.reshape(tf.range(5 * 6 * 3) % 256, [5, 6, 3]), tf.uint8)


@tf.function
def prepare(data, training):
    image = tf.io.decode_png(data, channels=3)
    image = tf.image.convert_image_dtype(image, tf.float32)
    image = tf.image.resize(image, [8, 8])
    if training:
        image = tf.image.flip_left_right(image)
        image = tf.image.adjust_brightness(image, 0.1)
    else:
        image = tf.image.central_crop(image, 0.5)
        image = tf.image.resize_with_crop_or_pad(image, 8, 8)
    return tf.clip_by_value(image, 0.0, 1.0)


png = tf.io.encode_png(img)
for training in (True, False):
    out = prepare(png, tf.constant(training))
    print(out.shape, f"{float(tf.reduce_mean(out)):.5f} {float(tf.math.reduce_std(out)):.5f}")


def augment(image, i):
    image = tf.image.rot90(image, k=tf.cast(i, tf.int32))
    image = tf.image.adjust_contrast(image, 1.5)
    return tf.image.per_image_standardization(tf.image.resize(image, [4, 4], method="nearest"))


pairs = tf.data.Dataset.zip((tf.data.Dataset.from_tensors(tf.cast(img, tf.float32)).repeat(3), tf.data.Dataset.range(3)))
for batch in pairs.map(augment).batch(3):
    print(batch.shape, np.round(batch.numpy()[:, 0, 0, 0], 3))


@tf.function
def gray_edges(x):
    g = tf.image.rgb_to_grayscale(tf.cast(x, tf.float32))[None]
    return tf.image.sobel_edges(g)


print(gray_edges(img).shape, f"{float(tf.reduce_sum(tf.abs(gray_edges(img)))):.2f}")
