"""Official vision models: a residual network classifies images and is trained one step.

Run with TF_USE_LEGACY_KERAS=1.
"""

import numpy as np
import tensorflow as tf
from official.vision.modeling import backbones, classification_model

backbone = backbones.ResNet(model_id=10, input_specs=tf.keras.layers.InputSpec(shape=[None, 32, 32, 3]))
model = classification_model.ClassificationModel(backbone, num_classes=4, input_specs=backbone._input_specs)
images, labels = np.random.RandomState(0).rand(4, 32, 32, 3).astype("float32"), np.array([0, 1, 2, 3])
optimizer, losses = tf.keras.optimizers.SGD(0.05), []
for _ in range(3):
    with tf.GradientTape() as tape:
        logits = model(images, training=True)
        losses.append(tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)))
    optimizer.apply_gradients(
        zip(tape.gradient(losses[-1], model.trainable_variables), model.trainable_variables, strict=True)
    )
assert logits.shape == (4, 4) and losses[-1] < losses[0], losses
