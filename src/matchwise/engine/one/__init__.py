"""One pair of objects as they are: an expression becomes nested evaluators that score, match and explain it."""
