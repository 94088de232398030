"""Children of a test's own process, which may be killed."""

import os
import sys
import traceback
import warnings
from collections.abc import Callable

from memcli.errors import MemcliError

REFUSED = 3
"""The exit code of a child whose act was refused, as an error of memcli says."""

INTERRUPTED = 130


def child(act: Callable[[], object]) -> int:
    """Run in a child, the leader of a group of its own; its id."""
    with warnings.catch_warnings():
        # Threads of the test runner; the child uses none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        # Here and in the child: killpg reaches it from now on.
        os.setpgid(pid, pid)
        return pid
    code = 1  # the parent sees it
    try:
        os.setpgid(0, 0)
        act()
        code = 0
    except KeyboardInterrupt:
        code = INTERRUPTED
    except MemcliError:
        code = REFUSED
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(code)


def ended(act: Callable[[], object]) -> int:
    """How a child ends: its exit code, or minus the signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child(act), 0)[1])


def steps_of(run: Callable[[Callable[[], None]], object]) -> int:
    """How often a child says that it has come to a step."""
    told, tell = os.pipe()
    run(lambda: (os.write(tell, b"."), None)[1])
    os.close(tell)
    with open(told, "rb") as pipe:
        return len(pipe.read())
