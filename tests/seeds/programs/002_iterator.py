dataset = tf.data.Dataset.from_tensor_slices((A, B, C))
it = iter(dataset)
a0, b0, c0 = next(it)
a1, b1, c1 = next(it)
