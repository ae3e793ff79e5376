summary_writer = tf.summary.create_file_writer('./tensorboard_files')

for batch_index in range(num_batches):
    with summary_writer.as_default():                      # 指定希望使用的记录器
        tf.summary.scalar('loss', loss, step=batch_index)
        tf.summary.scalar('MyScalar', my_scalar, step=batch_index)
