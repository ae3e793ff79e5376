"""Text to numbers to an answer: vocabulary, embeddings, a mask for padding, and words of any number.

    python -m reflow examples/text_classification.py            # 15 seconds
    python -m reflow examples/text_classification.py --fast     # a few steps only

The sentences are made by a small grammar. A sentence is good or bad, and "not" turns it around.
"""

import random
import sys

import tensorflow as tf

FAST = "--fast" in sys.argv
GOOD, BAD = ["great", "lovely", "clever", "moving"], ["dull", "awful", "clumsy", "empty"]
THINGS = ["film", "plot", "music", "cast", "ending"]


def sentences(count, seed):
    """Texts and labels. Word counts alone cannot tell "not dull" from "not great": the order matters."""
    rng, texts, labels = random.Random(seed), [], []
    for _ in range(count):
        good, turned = rng.random() < 0.5, rng.random() < 0.5
        word = rng.choice(GOOD if good else BAD)
        other = f" and a {rng.choice(THINGS)}" if rng.random() < 0.5 else ""
        texts.append(f"The {rng.choice(THINGS)} was {'not ' if turned else ''}{word}{other}.")
        labels.append(float(good != turned))
    return tf.constant(texts), tf.constant(labels)


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    texts, labels = sentences(50 if FAST else 2_000, 0)
    to_numbers = tf.keras.layers.TextVectorization(output_sequence_length=10)
    to_numbers.adapt(texts)
    print(
        f"{to_numbers.vocabulary_size()} words; {texts[0].numpy().decode()!r} -> "
        f"{to_numbers(texts[:1]).numpy()[0].tolist()}"
    )
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((10,), dtype="int64"),
            # zeros are padding: later layers skip them
            layers.Embedding(to_numbers.vocabulary_size(), 16, mask_zero=True),
            layers.LSTM(16),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(tf.keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
    data = tf.data.Dataset.from_tensor_slices((texts, labels)).batch(50).map(
        lambda text, label: (to_numbers(text), label)
    )
    model.fit(data, epochs=1 if FAST else 5, shuffle=False, verbose=0)
    unseen, truth = sentences(20 if FAST else 300, 1)
    print(f"{model.evaluate(to_numbers(unseen), truth, verbose=0)[1]:.1%} of {len(truth)} new sentences right")
    for text in ("The music was great.", "The plot was not great.", "The cast was not dull and a film."):
        print(f"  {text:<36} {float(model(to_numbers(tf.constant([text])))[0, 0]):.2f}")
