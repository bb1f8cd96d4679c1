"""Leaves with partial credit: each a function of two values, its facts, and its batched form."""
