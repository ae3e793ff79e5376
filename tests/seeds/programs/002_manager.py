checkpoint = tf.train.Checkpoint(model=model)
manager = tf.train.CheckpointManager(checkpoint, directory='./save',
                                     checkpoint_name='model.ckpt',
                                     max_to_keep=k)
