"""Training curves: the MLP and the CNN of the seeds, 100 steps each, written once for TensorFlow and Reflow.

Each program returns the loss of every step; `tools/golden/keras_curves.py` records TensorFlow's.
"""

CURVES = {}
STEPS, BATCH = 100, 50


def curve(function):
    CURVES[function.__name__] = function
    return function


def mlp(tf, dropout=0.0):
    class MLP(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.flatten = tf.keras.layers.Flatten()
            self.dense1 = tf.keras.layers.Dense(units=100, activation=tf.nn.relu)
            self.dropout = tf.keras.layers.Dropout(dropout)
            self.dense2 = tf.keras.layers.Dense(units=10)

        def call(self, inputs, training=None):
            x = self.dense1(self.flatten(inputs))
            return tf.nn.softmax(self.dense2(self.dropout(x, training=training)))

    return MLP()


def cnn(tf, dropout=0.0, filters=(32, 64), units=1024):
    class CNN(tf.keras.Model):
        def __init__(self):
            super().__init__()
            layers = tf.keras.layers
            self.conv1 = layers.Conv2D(filters=filters[0], kernel_size=[5, 5], padding="same", activation=tf.nn.relu)
            self.pool1 = layers.MaxPool2D(pool_size=[2, 2], strides=2)
            self.conv2 = layers.Conv2D(filters=filters[1], kernel_size=[5, 5], padding="same", activation=tf.nn.relu)
            self.pool2 = layers.MaxPool2D(pool_size=[2, 2], strides=2)
            self.flatten = layers.Reshape(target_shape=(7 * 7 * filters[1],))
            self.dense1 = layers.Dense(units=units, activation=tf.nn.relu)
            self.dropout = layers.Dropout(dropout)
            self.dense2 = layers.Dense(units=10)

        def call(self, inputs, training=None):
            x = self.pool2(self.conv2(self.pool1(self.conv1(inputs))))
            x = self.dropout(self.dense1(self.flatten(x)), training=training)
            return tf.nn.softmax(self.dense2(x))

    return CNN()


def by_hand(tf, model, optimizer, images, labels, decorate=lambda f: f):
    """The seeds' loop: batches, a tape, `apply_gradients`."""

    @decorate
    def step(x, y):
        with tf.GradientTape() as tape:
            predicted = model(x, training=True)
            loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y_true=y, y_pred=predicted))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(grads_and_vars=zip(gradients, model.trainable_variables, strict=True))
        return loss

    starts = range(0, STEPS * BATCH, BATCH)
    return [float(step(tf.constant(images[i : i + BATCH]), tf.constant(labels[i : i + BATCH]))) for i in starts]


def by_fit(tf, model, optimizer, images, labels, **options):
    """`fit` in the given order; the loss of each step, which Keras reports as a running mean."""
    means = []
    record = tf.keras.callbacks.LambdaCallback(on_train_batch_end=lambda step, logs: means.append(logs["loss"]))
    model.compile(optimizer, "sparse_categorical_crossentropy", **options)
    n = STEPS * BATCH
    model.fit(images[:n], labels[:n], batch_size=BATCH, shuffle=False, verbose=0, callbacks=[record])
    totals = [mean * (i + 1) for i, mean in enumerate(means)]
    return [now - before for now, before in zip(totals, [0.0, *totals], strict=False)]


@curve
def mlp_tape_adam(tf, images, labels):
    return by_hand(tf, mlp(tf), tf.keras.optimizers.Adam(learning_rate=0.001), images, labels)


@curve
def mlp_function_sgd_dropout(tf, images, labels):
    return by_hand(tf, mlp(tf, dropout=0.5), tf.keras.optimizers.SGD(learning_rate=0.05), images, labels, tf.function)


@curve
def mlp_fit_adam_dropout(tf, images, labels):
    return by_fit(tf, mlp(tf, dropout=0.3), tf.keras.optimizers.Adam(0.001), images, labels)


@curve
def mlp_fit_sgd(tf, images, labels):
    return by_fit(tf, mlp(tf), tf.keras.optimizers.SGD(0.1, momentum=0.9), images, labels)


@curve
def cnn_fit_adam(tf, images, labels):
    """The seeds' CNN in full size."""
    return by_fit(tf, cnn(tf), tf.keras.optimizers.Adam(0.001), images, labels)


@curve
def cnn_function_sgd_dropout(tf, images, labels):
    model = cnn(tf, dropout=0.4, filters=(4, 8), units=32)
    return by_hand(tf, model, tf.keras.optimizers.SGD(learning_rate=0.05), images, labels, tf.function)


@curve
def cnn_train_step_adam_dropout(tf, images, labels):
    """`fit` with a `train_step` of one's own."""
    inner = cnn(tf, dropout=0.4, filters=(8, 16), units=64)

    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.inner, self.mean = inner, tf.keras.metrics.Mean(name="loss")

        def call(self, inputs, training=None):
            return self.inner(inputs, training=training)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compute_loss(x, y, self(x, training=True))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            self.mean.update_state(loss)
            return {"loss": self.mean.result()}

        @property
        def metrics(self):
            return [self.mean]

    return by_fit(tf, Own(), tf.keras.optimizers.Adam(0.001), images, labels)
