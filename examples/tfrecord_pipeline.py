"""An input pipeline: digits become PNG images in TFRecord files, are read in parallel, augmented, batched, trained on.

    python -m reflow examples/tfrecord_pipeline.py            # 15 seconds
    python -m reflow examples/tfrecord_pipeline.py --fast     # a few steps only
"""

import os
import sys
import tempfile

import digits
import tensorflow as tf

FAST = "--fast" in sys.argv
FEATURES = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}


def feature(value):
    """A value as the message that `tf.train.Example` wants."""
    if isinstance(value, bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def write(folder, images, labels, shards):
    """Several files, so that several can be read at once."""
    for shard in range(shards):
        path = os.path.join(folder, f"digits-{shard}-of-{shards}.tfrecord.gz")
        with tf.io.TFRecordWriter(path, options="GZIP") as writer:
            for image, label in zip(images[shard::shards], labels[shard::shards]):
                png = tf.io.encode_png(tf.cast(image * 255, tf.uint8)).numpy()
                example = tf.train.Example(
                    features=tf.train.Features(feature={"image": feature(png), "label": feature(int(label))})
                )
                writer.write(example.SerializeToString())


def decode(record):
    """A record as an image of floats and a label."""
    parsed = tf.io.parse_single_example(record, FEATURES)
    image = tf.io.decode_png(parsed["image"], channels=1)
    return tf.image.convert_image_dtype(tf.ensure_shape(image, [28, 28, 1]), tf.float32), parsed["label"]


def augment(image, label):
    """Move the digit by up to two pixels: the network sees a new image each time."""
    image = tf.image.random_crop(tf.pad(image, [[2, 2], [2, 2], [0, 0]]), [28, 28, 1])
    return tf.image.random_brightness(image, 0.1), label


def pipeline(folder, count):
    """Batches from all files.

    A file does not say how many records it has; whoever knows tells Keras by `assert_cardinality`.
    """
    files = tf.data.Dataset.list_files(os.path.join(folder, "*.tfrecord.gz"), seed=0)
    records = files.interleave(
        lambda file: tf.data.TFRecordDataset(file, compression_type="GZIP"), cycle_length=4,
        num_parallel_calls=tf.data.AUTOTUNE,
    )
    return (
        records.apply(tf.data.experimental.assert_cardinality(count))
        .map(decode, num_parallel_calls=tf.data.AUTOTUNE)
        .cache()  # decoded images fit into memory; what comes after is different in every epoch
        .shuffle(1_000, seed=1)
        .map(augment, num_parallel_calls=tf.data.AUTOTUNE)
        .batch(50)
        .prefetch(tf.data.AUTOTUNE)  # the next batch is prepared while the network computes
    )


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    train_set, test_set = digits.load(*((50, 32) if FAST else (6_000, 1_000)))
    with tempfile.TemporaryDirectory() as folder:
        write(folder, *train_set, shards=4)
        sizes = {name: os.path.getsize(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}
        print(f"{len(sizes)} files, {sum(sizes.values()):,} bytes: {', '.join(sizes)}")
        dataset = pipeline(folder, len(train_set[0]))
        print(f"one batch: {dataset.element_spec}")
        layers = tf.keras.layers
        model = tf.keras.Sequential([layers.Flatten(), layers.Dense(128, activation="relu"), layers.Dense(10)])
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
        model.fit(dataset, epochs=1 if FAST else 5, shuffle=False, verbose=0)
    print(f"{model.evaluate(*test_set, verbose=0)[1]:.1%} of {len(test_set[0])} unseen digits right")
