"""`tf_upgrade_v2` (`reflow upgrade`): programs of TensorFlow 1 rewritten for TensorFlow 2."""
