"""`tf.io`: files, TFRecords, `tf.train.Example`."""
