"""transformers 4.44: a small BERT of its TensorFlow classes. Run with TF_USE_LEGACY_KERAS=1."""

import numpy as np
from transformers import BertConfig, TFBertModel

config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
out = TFBertModel(config)(np.array([[1, 2, 3]]))
assert out.last_hidden_state.shape == (1, 3, 16)
