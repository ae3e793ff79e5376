"""Sequence to sequence with attention: dates as people write them become dates as computers write them.

    python -m reflow examples/seq2seq_attention.py            # 90 seconds
    python -m reflow examples/seq2seq_attention.py --fast     # a few steps only

An encoder reads "march 5, 1998". A decoder writes "1998-03-05", one character a step, and looks back at the input by
attention.
"""

import datetime
import random
import sys

import numpy as np
import tensorflow as tf

FAST = "--fast" in sys.argv
FORMATS = ("%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%b %d %Y", "%A, %d %B %Y")
ALPHABET = "\0 \2" + "abcdefghijklmnopqrstuvwxyz0123456789,.-"  # padding, space, start of the answer
NUMBER = {character: i for i, character in enumerate(ALPHABET)}
IN, OUT, UNITS = 30, 10, 64


def examples(count, seed):
    """Dates in words, and in ISO form; as rows of numbers."""
    rng, questions, answers = random.Random(seed), [], []
    for _ in range(count):
        day = datetime.date.fromordinal(rng.randrange(715_000, 738_000))
        questions.append(day.strftime(rng.choice(FORMATS)).lower())
        answers.append(day.isoformat())
    return questions, encode(questions, IN), encode(answers, OUT)


def encode(texts, length):
    return np.array([[NUMBER[c] for c in text.ljust(length, "\0")] for text in texts], dtype="int32")


def decode(row):
    return "".join(ALPHABET[i] for i in row)


def shifted(answers):
    """What the decoder has seen before each character: the start sign, and the right answer so far."""
    return np.concatenate([np.full((len(answers), 1), NUMBER["\2"], "int32"), answers[:, :-1]], axis=1)


def build():
    layers = tf.keras.layers
    question, answer = tf.keras.Input((IN,), dtype="int32"), tf.keras.Input((None,), dtype="int32")
    embedding = layers.Embedding(len(ALPHABET), 32)
    memory = layers.Bidirectional(layers.GRU(UNITS // 2, return_sequences=True))(embedding(question))
    written = layers.GRU(UNITS, return_sequences=True)(embedding(answer))
    looked_up = layers.Attention()([written, memory])  # dot products of what was written with what was read
    hidden = layers.Dense(UNITS, activation="tanh")(layers.Concatenate()([written, looked_up]))
    return tf.keras.Model([question, answer], layers.Dense(len(ALPHABET))(hidden))


def translate(model, questions):
    """Greedy decoding: the best character, again and again."""
    answers = np.full((len(questions), OUT + 1), NUMBER["\2"], "int32")
    for i in range(OUT):
        logits = model([tf.constant(questions), tf.constant(answers[:, :OUT])])
        answers[:, i + 1] = tf.argmax(logits[:, i], axis=-1)
    return answers[:, 1:]


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    _, x, y = examples(64 if FAST else 4_000, seed=0)
    model = build()
    model.compile(tf.keras.optimizers.Adam(0.005), loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    print(f"{len(x):,} dates, {model.count_params():,} parameters")
    history = model.fit([x, shifted(y)], y, batch_size=64, epochs=1 if FAST else 12, verbose=0)
    print(f"loss {history.history['loss'][0]:.3f} -> {history.history['loss'][-1]:.3f}")
    texts, x_test, y_test = examples(5 if FAST else 200, seed=1)
    answers = translate(model, x_test)
    print(f"{np.mean(np.all(answers == y_test, axis=1)):.1%} of {len(texts)} unseen dates are right in every character")
    for text, row in list(zip(texts, answers))[:5]:
        print(f"  {text:<28} -> {decode(row)!r}")
