import tensorflow as tf
import os
num_epochs = 10
batch_size = 32
learning_rate = 0.001
data_dir = 'C:/datasets/cats_vs_dogs'
train_cats_dir = data_dir + '/train/cats/'
train_dogs_dir = data_dir + '/train/dogs/'
test_cats_dir = data_dir + '/valid/cats/'
test_dogs_dir = data_dir + '/valid/dogs/'

def _decode_and_resize(filename, label):
    image_string = tf.io.read_file(filename)
    image_decoded = tf.image.decode_jpeg(image_string)
    image_resized = tf.image.resize(image_decoded, [256, 256]) / 255.0
    return image_resized, label

if __name__ == '__main__':
    train_cat_filenames = tf.constant([train_cats_dir + name for name in os.listdir(train_cats_dir)])
    train_dog_filenames = tf.constant([train_dogs_dir + name for name in os.listdir(train_dogs_dir)])
    train_filenames = tf.concat([train_cat_filenames, train_dog_filenames], axis=-1)
    # 将标签二值化
    train_labels = tf.concat([tf.zeros(train_cat_filenames.shape, dtype=tf.int32),
                             tf.ones(train_dog_filenames.shape, dtype=tf.int32)], axis=-1)
    train_dataset = tf.data.Dataset.from_tensor_slices((train_filenames, train_labels))
    # 并行地将构建Dataset
    train_dataset = train_dataset.map(map_func=_decode_and_resize,
                                     num_parallel_calls=tf.data.experimental.AUTOTUNE)
    train_dataset = train_dataset.shuffle(20000).batch(batch_size)
    train_dataset = train_dataset.prefetch(tf.data.experimental.AUTOTUNE)

    model = tf.keras.Sequential()

    model.compile(optimizer=tf.keras.optimizers.Adam(learning_rate),
                 loss=tf.keras.losses.sparse_categorical_crossentropy)

    model.fit(train_dataset, epochs=num_epochs)
