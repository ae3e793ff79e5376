# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.errors`."""

from reflow.core.errors import ABORTED as ABORTED
from reflow.core.errors import ALREADY_EXISTS as ALREADY_EXISTS
from reflow.core.errors import AbortedError as AbortedError
from reflow.core.errors import AlreadyExistsError as AlreadyExistsError
from reflow.core.errors import CANCELLED as CANCELLED
from reflow.core.errors import CancelledError as CancelledError
from reflow.core.errors import DATA_LOSS as DATA_LOSS
from reflow.core.errors import DEADLINE_EXCEEDED as DEADLINE_EXCEEDED
from reflow.core.errors import DataLossError as DataLossError
from reflow.core.errors import DeadlineExceededError as DeadlineExceededError
from reflow.core.errors import FAILED_PRECONDITION as FAILED_PRECONDITION
from reflow.core.errors import FailedPreconditionError as FailedPreconditionError
from reflow.core.errors import INTERNAL as INTERNAL
from reflow.core.errors import INVALID_ARGUMENT as INVALID_ARGUMENT
from reflow.core.errors import InternalError as InternalError
from reflow.core.errors import InvalidArgumentError as InvalidArgumentError
from reflow.core.errors import NOT_FOUND as NOT_FOUND
from reflow.core.errors import NotFoundError as NotFoundError
from reflow.core.errors import OK as OK
from reflow.core.errors import OUT_OF_RANGE as OUT_OF_RANGE
from reflow.core.errors import OpError as OpError
from reflow.core.errors import OutOfRangeError as OutOfRangeError
from reflow.core.errors import PERMISSION_DENIED as PERMISSION_DENIED
from reflow.core.errors import PermissionDeniedError as PermissionDeniedError
from reflow.core.errors import RESOURCE_EXHAUSTED as RESOURCE_EXHAUSTED
from reflow.core.errors import ResourceExhaustedError as ResourceExhaustedError
from reflow.core.errors import UNAUTHENTICATED as UNAUTHENTICATED
from reflow.core.errors import UNAVAILABLE as UNAVAILABLE
from reflow.core.errors import UNIMPLEMENTED as UNIMPLEMENTED
from reflow.core.errors import UNKNOWN as UNKNOWN
from reflow.core.errors import UnauthenticatedError as UnauthenticatedError
from reflow.core.errors import UnavailableError as UnavailableError
from reflow.core.errors import UnimplementedError as UnimplementedError
from reflow.core.errors import UnknownError as UnknownError
