model_to_be_restored = myModel()
checkpoint = tf.train.Checkpoint(myModel=model_to_be_restored)
checkpoint.restore(save_path_with_prefix_and_index)
