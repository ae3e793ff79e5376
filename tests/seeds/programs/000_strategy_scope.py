with strategy.scope():
    # 建立/编译Keras模型应在`strategy.scope`内完成,因为模型和优化器的创建包含了参数变量的创建
    distributed_model = tf.keras.Sequential([
        layers.Conv2D(params['conv1_feature'],
                      params['conv_kernel'],
                      activation='relu',
                      input_shape=(28, 28, 1)),
        layers.MaxPooling2D((params['maxpool_size'], params['maxpool_size'])),
        layers.Conv2D(params['conv2_feature'],
                      params['conv_kernel'],
                      activation='relu'),
        layers.MaxPooling2D((params['maxpool_size'], params['maxpool_size'])),
        layers.Conv2D(params['conv3_feature'],
                      params['conv_kernel'],
                      activation='relu'),
        layers.Flatten(),
        layers.Dense(params['linear1_size'], activation='relu'),
        layers.Dense(10, activation='softmax'),
    ])
    distributed_model.compile(
        optimizer=optimizers.Adam(learning_rate=params['learning_rate']),
        loss='sparse_categorical_crossentropy',
        metrics=['accuracy'])
