"""`tensorflow.python.framework._python_memory_checker_helper`: marks what a memory checker itself allocates."""


def mark_stack_trace_and_call(func):
    """Call a function. TensorFlow ignores what is allocated below this frame when it counts allocations of C++ code;
    here there are none to count."""
    func()
