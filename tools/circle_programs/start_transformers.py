"""transformers 4.44: small models of its TensorFlow classes, forward and one step of training.

Run with TF_USE_LEGACY_KERAS=1.
"""

import numpy as np
import tensorflow as tf
import transformers

ids = np.array([[1, 2, 3, 4], [5, 6, 7, 0]])
bert = {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
vit = {k: v for k, v in bert.items() if k != "vocab_size"} | {"image_size": 8, "patch_size": 4}
models = [
    (transformers.TFBertModel(transformers.BertConfig(**bert)), {"input_ids": ids}, (2, 4, 16)),
    (
        transformers.TFDistilBertModel(
            transformers.DistilBertConfig(vocab_size=50, dim=16, n_layers=2, n_heads=2, hidden_dim=32)
        ),
        {"input_ids": ids},
        (2, 4, 16),
    ),
    (
        transformers.TFGPT2LMHeadModel(transformers.GPT2Config(vocab_size=50, n_embd=16, n_layer=2, n_head=2)),
        {"input_ids": ids}, (2, 4, 50),
    ),
    (
        transformers.TFT5ForConditionalGeneration(
            transformers.T5Config(vocab_size=50, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2)
        ),
        {"input_ids": ids, "decoder_input_ids": ids},
        (2, 4, 50),
    ),
    (
        transformers.TFViTModel(transformers.ViTConfig(**vit)), {"pixel_values": np.ones([2, 3, 8, 8], "float32")},
        (2, 5, 16),
    ),
]
for model, inputs, shape in models:
    optimizer, losses = tf.keras.optimizers.Adam(0.01), []
    for _ in range(2):
        with tf.GradientTape() as tape:
            out = model(inputs, training=False)[0]
            losses.append(tf.reduce_mean(out**2))
        gradients = zip(tape.gradient(losses[-1], model.trainable_variables), model.trainable_variables, strict=True)
        optimizer.apply_gradients([pair for pair in gradients if pair[0] is not None])
    assert out.shape == shape and losses[1] < losses[0], (type(model), out.shape, losses)
words = models[2][0].generate(ids[:1], max_length=8, do_sample=False, pad_token_id=0)
assert words.shape == (1, 8)
