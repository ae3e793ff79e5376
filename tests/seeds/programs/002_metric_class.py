class SparseCategoricalAccuracy(tf.keras.metrics.Metric):
      def __init__(self):
          super().__init__()
          self.init = tf.zeros_initializer()
          self.total = self.add_weight(name='total', dtype=tf.int32,
                                       initializer=self.init)
          self.count = self.add_weight(name='count', dtype=tf.int32,
                                       initializer=self.init)

      def update_state(self, y_true, y_pred, sample_weight=None):
          pred = tf.argmax(y_pred, axis=-1, output_type=tf.int32)
          values = tf.cast(tf.equal(y_true, pred), tf.int32)
          self.total.assign_add(tf.shape(y_true)[0])
          self.count.assign_add(tf.reduce_sum(values))

      def result(self):
          return self.count / self.total
