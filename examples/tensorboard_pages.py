"""What TensorBoard shows: losses, histograms, images, text, the graph, and where the time goes.

    python -m reflow examples/tensorboard_pages.py FOLDER     # then: tensorboard --logdir FOLDER
"""

import collections
import sys
import tempfile

import digits
import tensorflow as tf

FAST = "--fast" in sys.argv


def by_hand(folder, images):
    """`tf.summary` writes anything at any step."""
    layer = tf.keras.layers.Dense(4)

    @tf.function
    def project(x):
        return tf.nn.relu(layer(x))

    writer = tf.summary.create_file_writer(f"{folder}/by_hand")
    with writer.as_default():
        tf.summary.image("digits", images[:4], step=0, max_outputs=4)
        tf.summary.text("note", "Some **digits** of MNIST.", step=0)
        tf.summary.trace_on(graph=True)
        project(tf.reshape(images[:4], [4, 784]))
        tf.summary.trace_export("project", step=0)
        for step in range(20):
            tf.summary.scalar("decay", 0.9**step, step=step)
            tf.summary.histogram("spread", tf.random.normal([200], stddev=1.0 + step), step=step)


def by_callback(folder, train_set):
    """Keras' callback writes losses, weights and the graph of the model."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [tf.keras.Input((28, 28, 1)), layers.Flatten(), layers.Dense(32, activation="relu"), layers.Dense(10)]
    )
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    board = tf.keras.callbacks.TensorBoard(f"{folder}/fit", histogram_freq=1, update_freq="epoch")
    model.fit(*train_set, batch_size=50, epochs=1 if FAST else 3, validation_split=0.2, verbose=0, callbacks=[board])


def what_was_written(folder):
    """Read the event files back: their tags, and how often each was written."""
    counts = collections.Counter()
    for file in tf.io.gfile.glob(f"{folder}/*/events*") + tf.io.gfile.glob(f"{folder}/*/*/events*"):
        for record in tf.data.TFRecordDataset(file):
            event = tf.compat.v1.Event.FromString(record.numpy())
            counts.update(value.tag for value in event.summary.value)
    return counts


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    named = [word for word in sys.argv[1:] if not word.startswith("-")]
    folder = named[0] if named else tempfile.mkdtemp()
    train_set, _ = digits.load(*((50, 1) if FAST else (2_000, 1)))
    by_hand(folder, train_set[0])
    by_callback(folder, train_set)
    for tag, count in sorted(what_was_written(folder).items()):
        print(f"  {tag:<32} {count} times")
    print(f"Now look at it:  tensorboard --logdir {folder}")
