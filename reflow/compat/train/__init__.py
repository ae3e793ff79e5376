"""`tf.compat.v1.train`: savers, optimizers, queue runners, monitored sessions."""
