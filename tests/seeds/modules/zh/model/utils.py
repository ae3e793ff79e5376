"""The loader that the documents import, on the digits that come with Reflow."""

import numpy as np

from reflow.datasets import mnist_small


class MNISTLoader:
    def __init__(self):
        (train_data, train_label), (test_data, test_label) = mnist_small()
        self.train_data = np.expand_dims(train_data.astype(np.float32) / 255.0, axis=-1)  # [6000, 28, 28, 1]
        self.test_data = np.expand_dims(test_data.astype(np.float32) / 255.0, axis=-1)  # [1000, 28, 28, 1]
        self.train_label = train_label.astype(np.int32)
        self.test_label = test_label.astype(np.int32)
        self.num_train_data, self.num_test_data = self.train_data.shape[0], self.test_data.shape[0]

    def get_batch(self, batch_size):
        index = np.random.randint(0, self.num_train_data, batch_size)
        return self.train_data[index, :], self.train_label[index]
