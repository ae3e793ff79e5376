"""Functions as methods: super(), overriding, properties, class and static methods, __call__, weak references, inheritance."""
import gc
import weakref

import tensorflow as tf


class Base:
    def __init__(self, k):
        self.k = tf.Variable(float(k))

    @tf.function
    def __call__(self, x):
        print("trace", type(self).__name__)
        return self.transform(x) * self.k

    def transform(self, x):
        return x + 1.0

    @classmethod
    @tf.function
    def make(cls, x):
        return x * 2.0

    @staticmethod
    @tf.function
    def helper(x):
        return x - 1.0


class Child(Base):
    def transform(self, x):
        return super().transform(x) * 10.0

    @tf.function
    def twice(self, x):
        return super(Child, self).__call__(self(x))


b, c = Base(2), Child(3)
print(float(b(tf.constant(1.0))), float(c(tf.constant(1.0))), float(c(tf.constant(2.0))))
print(float(c.twice(tf.constant(1.0))), float(Base.helper(tf.constant(1.0))), float(Base.make(tf.constant(4.0))))
print(float(Child(5)(tf.constant(0.0))))
ref = weakref.ref(c)
del c
gc.collect()
print("collected:", ref() is None)


class Counter:
    def __init__(self):
        self.n = None

    @tf.function
    def add(self, by=1, *, times=1):
        if self.n is None:
            self.n = tf.Variable(0)
        for _ in range(times):
            self.n.assign_add(by)
        return self.n.read_value()


c1, c2 = Counter(), Counter()
print(int(c1.add()), int(c1.add(5)), int(c1.add(by=2, times=3)), int(c2.add(tf.constant(7))))


class Callable:
    def __init__(self):
        self.seen = []

    def __call__(self, x, y=2):
        self.seen.append("t")
        return x * y


obj = Callable()
f = tf.function(obj)
print(int(f(tf.constant(3))), int(f(tf.constant(4))), int(f(tf.constant(4), y=3)), len(obj.seen))
