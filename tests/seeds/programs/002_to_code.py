@tf.function
def square_if_positive(x):
    if x>0:
        x = x*x
    else:
        x = 0
    return x

print(tf.autograph.to_code(square_if_positive.python_function))
