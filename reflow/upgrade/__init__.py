"""`tf_upgrade_v2` (`reflow upgrade`): rewrites TensorFlow 1 programs for TensorFlow 2."""
