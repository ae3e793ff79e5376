mnist_dataset = mnist_dataset.batch(4)
for _ in range(num_epoch):
    for images, labels in mnist_dataset:
        train_step(images, labels)
