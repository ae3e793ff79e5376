"""`tensorflow.python.framework.traceable_stack`: a stack whose objects know the line that pushed them."""

import sys


class TraceableObject:
    """An object with the file and line where it was made."""

    SUCCESS, HEURISTIC_USED, FAILURE = 0, 1, 2

    def __init__(self, obj, filename=None, lineno=None):
        self.obj, self.filename, self.lineno = obj, filename, lineno

    def set_filename_and_line_from_caller(self, offset=0):
        """Take file and line of the caller, or of the frame `offset` above it; of the outermost if there are fewer."""
        frame, left = sys._getframe(1), offset
        while left and frame.f_back is not None:
            frame, left = frame.f_back, left - 1
        self.filename, self.lineno = frame.f_code.co_filename, frame.f_lineno
        return self.HEURISTIC_USED if left else self.SUCCESS

    def copy_metadata(self):
        """File and line without the object."""
        return TraceableObject(None, self.filename, self.lineno)


class TraceableStack:
    """A stack of `TraceableObject`s; iterators begin with the newest."""

    def __init__(self, existing_stack=None):
        self._stack = list(existing_stack or ())

    def push_obj(self, obj, offset=0):
        """Put an object on top, with the line of the caller (or `offset` frames above it)."""
        self._stack.append(TraceableObject(obj))
        return self._stack[-1].set_filename_and_line_from_caller(offset + 1)

    def pop_obj(self):
        return self._stack.pop().obj

    def peek_top_obj(self):
        return self._stack[-1].obj

    def peek_objs(self):
        return (item.obj for item in reversed(self._stack))

    def peek_traceable_objs(self):
        return reversed(self._stack)

    def __len__(self):
        return len(self._stack)

    def copy(self):
        """Another stack with the same objects."""
        return TraceableStack(self._stack)
