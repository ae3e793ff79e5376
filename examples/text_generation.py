"""A recurrent network that writes text, one character after the other.

    python -m reflow examples/text_generation.py            # 40 seconds
    python -m reflow examples/text_generation.py --fast     # a few steps only

It learns from a nursery rhyme to say which character comes next. Then it is asked again and again, with its own
answers.
"""

import sys

import tensorflow as tf

FAST = "--fast" in sys.argv
LENGTH = 40
TEXT = """
This is the farmer sowing the corn,
That kept the cock that crowed in the morn,
That waked the priest all shaven and shorn,
That married the man all tattered and torn,
That kissed the maiden all forlorn,
That milked the cow with the crumpled horn,
That tossed the dog,
That worried the cat,
That killed the rat,
That ate the malt
That lay in the house that Jack built.
"""


def dataset(numbers):
    """Windows of the text; the target is the same window, one character later."""
    windows = tf.data.Dataset.from_tensor_slices(tf.signal.frame(numbers, LENGTH + 1, frame_step=1))
    return windows.map(lambda w: (w[:-1], w[1:])).shuffle(1_000, seed=0).batch(32, drop_remainder=True)


def build(size):
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [tf.keras.Input((None,)), layers.Embedding(size, 32), layers.GRU(96, return_sequences=True), layers.Dense(size)]
    )


def write(model, start, to_number, to_character, count):
    """Sample `count` characters. A low temperature makes the network sure of itself."""
    numbers = to_number(tf.strings.unicode_split(start, "UTF-8"))[tf.newaxis]
    for i in range(count):
        logits = model(numbers[:, -LENGTH:])[:, -1] / 0.5
        drawn = tf.random.stateless_categorical(logits, 1, seed=[7, i])
        numbers = tf.concat([numbers, tf.cast(drawn, numbers.dtype)], axis=1)
    return tf.strings.reduce_join(to_character(numbers[0])).numpy().decode()


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    to_number = tf.keras.layers.StringLookup(vocabulary=sorted(set(TEXT)), mask_token=None)
    to_character = tf.keras.layers.StringLookup(vocabulary=to_number.get_vocabulary(), mask_token=None, invert=True)
    numbers = to_number(tf.strings.unicode_split(TEXT, "UTF-8"))
    print(f"{len(TEXT)} characters, {to_number.vocabulary_size()} different ones")
    model = build(to_number.vocabulary_size())
    model.compile("adam", loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    for _ in range(1 if FAST else 4):
        data = dataset(numbers).take(1) if FAST else dataset(numbers)
        history = model.fit(data, epochs=1 if FAST else 5, shuffle=False, verbose=0)
        text = write(model, "That ", to_number, to_character, 2 if FAST else 60)
        print(f"loss {history.history['loss'][-1]:.3f}: {text!r}")
