class DemoModule(tf.Module):
    def __init__(self, init_value=tf.constant(0.0), name=None):
        super().__init__(name=name)
        with self.name_scope:    #相当于 with tf.name_scope('demo_module')
            self.x = tf.Variable(init_value, dtype=tf.float32, trainable=True)
    
    # 在tf.function中用input_signature限定输入张量的签名类型：shape和dtype
    @tf.function(input_signature=[tf.TensorSpec(shape=[], dtype=tf.float32)])
    def addprint(self, a):
        with self.name_scope:
            self.x.assign_add(a)
            tf.print(self.x)
            return self.x
