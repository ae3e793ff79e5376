"""`tf.compat.v1.train`: savers, optimizers, queue runners, sessions that watch over training."""
