import tensorflow as tf

with tf.compat.v1.device('/cpu:0'):
    a= tf.compat.v1.constant([1.0, 2.0,3.0], shape=[3] , name= 'a')
    b= tf.compat.v1.constant([1.0, 2.0,3.0], shape=[3] , name= 'b')
with tf.compat.v1.device('/gpu:1'):
    c = a + b
# 边过 log_device_placement 参数来输出运行每一个运算的设备。
sess = tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(log_device_placement=True))
print(sess . run(c))
