"""KerasHub: a small BERT is trained, a small GPT-2 writes, and a model is saved and loaded."""

import tempfile

import keras
import keras_hub
import numpy as np

sizes = {
    "vocabulary_size": 30, "num_layers": 1, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 16,
    "max_sequence_length": 12,
}
tokens = np.arange(24).reshape(2, 12) % 29 + 1
inputs = {"token_ids": tokens, "segment_ids": np.zeros_like(tokens), "padding_mask": np.ones_like(tokens)}
bert = keras_hub.models.BertTextClassifier(keras_hub.models.BertBackbone(**sizes), num_classes=2, preprocessor=None)
bert.compile(keras.optimizers.Adam(0.01), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
history = bert.fit(inputs, np.array([0, 1]), epochs=3, verbose=0).history["loss"]
assert history[-1] < history[0], history
path = tempfile.mkdtemp() + "/bert.keras"
bert.save(path)
assert np.allclose(keras.models.load_model(path).predict(inputs, verbose=0), bert.predict(inputs, verbose=0), atol=1e-5)

writer = keras_hub.models.GPT2CausalLM(keras_hub.models.GPT2Backbone(**sizes), preprocessor=None)
prompt = {"token_ids": tokens, "padding_mask": np.arange(12)[None].repeat(2, 0) < 4}
written = writer.generate(prompt, stop_token_ids=None)
assert written["token_ids"].shape == (2, 12) and (np.asarray(written["token_ids"])[:, :4] == tokens[:, :4]).all()
