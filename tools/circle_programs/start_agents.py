"""tf_agents: specs, a replay buffer, a policy."""

import tensorflow as tf
from tf_agents.policies import random_tf_policy
from tf_agents.specs import tensor_spec
from tf_agents.trajectories import time_step as ts

observation = tf.TensorSpec([2], tf.float32)
action = tensor_spec.BoundedTensorSpec([], tf.int32, 0, 3)
policy = random_tf_policy.RandomTFPolicy(ts.time_step_spec(observation), action)
step = policy.action(ts.restart(tf.zeros([1, 2]), batch_size=1))
assert 0 <= int(step.action[0]) <= 3
