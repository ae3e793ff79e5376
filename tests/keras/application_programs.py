"""Models of `keras.applications` without weights from the network: outputs before training, in training mode, and the
loss of one step, for TensorFlow (`tools/golden/keras_applications.py`) and Reflow alike."""

import numpy as np

#: recorded from TensorFlow; the rest of the family is only run
RECORDED = {"MobileNetV2": 64, "ResNet50": 64}
OTHERS = {
    "MobileNet": 32, "MobileNetV3Small": 32, "ResNet50V2": 32, "EfficientNetB0": 32, "EfficientNetV2B0": 32,
    "VGG16": 32, "DenseNet121": 32, "Xception": 71, "InceptionV3": 75, "NASNetMobile": 32, "ConvNeXtTiny": 32,
}  # fmt: skip


def run(keras, name: str, size: int, dtype: str) -> dict:
    """The model's numbers. In float32 the gradients of the first layers are off by some percent, here and in
    TensorFlow: fifty batch normalisations over few pixels. In float64 both agree to many places."""
    before = keras.config.floatx()
    keras.config.set_floatx(dtype)
    keras.config.set_dtype_policy(dtype)
    try:
        return _run(keras, name, size, dtype)
    finally:
        keras.config.set_floatx(before)
        keras.config.set_dtype_policy(before)


def _run(keras, name, size, dtype):
    keras.utils.set_random_seed(0)
    random = np.random.RandomState(0)
    images, labels = (random.rand(8, size, size, 3) * 2 - 1).astype(dtype), np.arange(8)
    model = getattr(keras.applications, name)(input_shape=(size, size, 3), weights=None, classes=10)
    model.compile(keras.optimizers.SGD(0.01), "sparse_categorical_crossentropy")
    found = {"parameters": model.count_params(), "predicted": model.predict(images, verbose=0).tolist()}
    found["loss"] = float(model.train_on_batch(images, labels))
    found["means"] = [float(np.mean(w)) for w in model.get_weights()[:20]]
    return found
