with tf.io.TFRecordWriter(tfrecord_name) as writer:
    for filename, label in zip(train_filenames, train_labels):
        # 以Byte格式读取image
        image = open(filename, 'rb').read()
        # 建立tf.train.Feature字典
        feature = {
            'image': tf.train.Feature(bytes_list=tf.train.BytesList(value=[image])),
            'label': tf.train.Feature(int64_list=tf.train.Int64List(value=[label]))
        }
        # 通过字典建立Example
        example = tf.train.Example(features=tf.train.Features(feature=feature))
        # 将Example序列化并写入TFRecord文件
        writer.write(example.SerializeToString())
