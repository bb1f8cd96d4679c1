"""The names, arguments and printed results of other packages, computed by matchwise: change one import line."""
