"""How sure a score is: moments, resampling, intervals, and comparisons of systems."""
