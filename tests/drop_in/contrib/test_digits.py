"""The digits that come with Reflow, in batches."""

from reflow.drop_in.contrib.index import contrib


def test_digits_come_in_batches():
    digits = contrib.learn.datasets.mnist.read_data_sets("MNIST_data", one_hot=True)
    images, labels = digits.train.next_batch(100)
    assert images.shape == (100, 784) and labels.shape == (100, 10) and images.max() <= 1.0
    assert digits.validation.num_examples == 500 and digits.test.num_examples > 0
    for _ in range(digits.validation.num_examples // 100 + 1):
        digits.validation.next_batch(100, shuffle=False)
    assert digits.validation.epochs_completed == 1


def test_digits_as_bytes_and_in_a_fixed_order():
    read = contrib.learn.datasets.mnist.read_data_sets
    first, second = (read(dtype="uint8", seed=3, reshape=False).train.next_batch(5) for _ in range(2))
    assert first[0].dtype == "uint8" and first[0].shape == (5, 28, 28, 1) and (first[0] == second[0]).all()
