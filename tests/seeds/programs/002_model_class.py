class MyModel(tf.keras.Model):
      def __init__(self):
          super().__init__()
          self.layer1 = tf.keras.layers.Conv2D(4, 3)
          '''and other layers, paras defination in the model'''

      def call(self, input):
          x = self.layer1(input)
          return tf.nn.softmax(x)
