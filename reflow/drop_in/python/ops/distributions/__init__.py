"""`tensorflow.python.ops.distributions`: what libraries take from the modules behind `tf.compat.v1.distributions`."""
