"""Settings of all tests."""

from hypothesis import settings

# No deadline: the first example of a test may pay for the import of NumPy or SciPy.
settings.register_profile("matchwise", deadline=None, print_blob=True)
settings.load_profile("matchwise")
