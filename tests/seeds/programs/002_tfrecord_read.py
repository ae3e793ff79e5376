# 读取TFRecord文件为一个Dataset
raw_dataset = tf.data.TFRecordDataset(tfrecord_name)

# 定义Feature结构，告知解码器每个Feature的类型
feature_description = {
    'image': tf.io.FixedLenFeature([], tf.string),
    'label': tf.io.FixedLenFeature([], tf.int64)
}

# 将TFRecord中序列化的Example解码
def _parse_example(example_string):
    feature_dict = tf.io.parse_single_example(example_string, feature_description)
    # 解码JPEG图片
    feature_dict['image'] = tf.io.decode_jpeg(feature_dict['image'])
    return feature_dict['image'], feature_dict['label']

dataset = raw_dataset.map(_parse_example)
