strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    model = model_creation()
    model.compile()
model.fit()
