class MyLayer(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        '''and so on'''

    def build(self, input_shape):
        # input_shape 是第一次运行call()时参数inputs的shape，无需显式定义
        self.variable0 = self.add_weight('v0')
        self.variable1 = self.add_weight('v1')

    def call(self, inputs):
        outputs = inputs * self.variable0 + self.variable1
        return outputs
