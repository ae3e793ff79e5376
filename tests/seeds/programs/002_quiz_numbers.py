@tf.function
def f(x):
    print('The function is running in Python')
    tf.print(x)

f(1)
f(2)
f(1)
f(0.1)
f(0.2)
f(0.1)
