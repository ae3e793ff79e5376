import tensorflow as tf


config = tf.ConfigProto()
#让tensorflow按需分配显存

config.gpu_options.allow_growth = True

# 或者直接按固定的比例分配，以下代码会占用所有可使用GPU的40%现存
# config.gpu_options.per_process_gpu_memory_fraction = 0.4
session = tf.compat.v1.Session(config=config, )

