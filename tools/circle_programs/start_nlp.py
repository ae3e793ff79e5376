"""Official language models: a BERT encoder with a classifier is trained. Run with TF_USE_LEGACY_KERAS=1."""

import numpy as np
import tensorflow as tf
from official.nlp.modeling import models, networks

encoder = networks.BertEncoder(vocab_size=50, hidden_size=16, num_layers=2, num_attention_heads=2, intermediate_size=32)
model = models.BertClassifier(encoder, num_classes=2)
words = np.arange(32).reshape(4, 8) % 50
inputs = {"input_word_ids": words, "input_mask": np.ones_like(words), "input_type_ids": np.zeros_like(words)}
model.compile(tf.keras.optimizers.Adam(0.01), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
history = model.fit(inputs, np.array([0, 1, 0, 1]), epochs=4, verbose=0).history["loss"]
assert history[-1] < history[0], history
