"""Settings of all tests."""

import os
import signal

from hypothesis import settings

# No deadline: the first example of a test may pay for the import of NumPy or SciPy. CI draws the same examples each
# time, so that a change is judged by what it changed; every other run draws new ones.
settings.register_profile("matchwise", deadline=None, print_blob=True)
settings.register_profile("ci", settings.get_profile("matchwise"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "matchwise")

# A shell that runs a job in the background has it ignore Ctrl-C, and so does everything that the job starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
