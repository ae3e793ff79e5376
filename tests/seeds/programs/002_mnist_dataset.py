(train_data, train_label), (_, _) = tf.keras.datasets.mnist.load_data()
# [60000,28,28]->[60000,28,28,1]
train_data = np.expand_dims(train_data.astype(np.float32)/255.0, axis=-1)
mnist_dataset = tf.data.Dataset.from_tensor_slices((train_data, train_label))
