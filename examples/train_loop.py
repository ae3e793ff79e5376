"""A training loop by hand: a dataset, a tape in a `tf.function`, an optimizer, metrics, early stopping. No `fit`.

    python -m reflow examples/train_loop.py            # 15 seconds
    python -m reflow examples/train_loop.py --fast     # a few steps only
"""

import sys
import time

import digits
import tensorflow as tf

FAST = "--fast" in sys.argv
BATCH = 50


def build():
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [tf.keras.Input((28, 28, 1)), layers.Flatten(), layers.Dense(128, activation="relu"), layers.Dense(10)]
    )


def main():
    tf.keras.utils.set_random_seed(1)
    train_set, test_set = digits.load(*((50, 32) if FAST else (6_000, 1_000)))
    batches = tf.data.Dataset.from_tensor_slices(train_set).shuffle(6_000, seed=2).batch(BATCH).prefetch(2)
    model, optimizer = build(), tf.keras.optimizers.Adam(0.001)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    mean_loss, accuracy = tf.keras.metrics.Mean(), tf.keras.metrics.SparseCategoricalAccuracy()

    @tf.function
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            logits = model(images, training=True)
            loss = loss_of(labels, logits)
        gradients = tape.gradient(loss, model.trainable_variables)
        gradients, _ = tf.clip_by_global_norm(gradients, 5.0)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        mean_loss.update_state(loss)
        accuracy.update_state(labels, logits)

    best, patience = 0.0, 2
    for epoch in range(1, 2 if FAST else 9):
        mean_loss.reset_state()
        accuracy.reset_state()
        start = time.perf_counter()
        for images, labels in batches:
            train_step(images, labels)
        logits = model(test_set[0], training=False)
        unseen = float(tf.reduce_mean(tf.cast(tf.argmax(logits, 1, tf.int32) == test_set[1], tf.float32)))
        print(
            f"epoch {epoch}: loss {mean_loss.result():.3f}, {accuracy.result():.1%} right in training, "
            f"{unseen:.1%} unseen, {time.perf_counter() - start:.1f} s"
        )
        best, patience = (unseen, 2) if unseen > best else (best, patience - 1)
        if not patience:
            print("no better for two epochs: stopping early")
            break
    print(f"best: {best:.1%} of unseen digits, {optimizer.iterations.numpy()} steps")


if __name__ == "__main__":
    main()
