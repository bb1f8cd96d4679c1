"""Vectors in, vectors out; no objects. `short` works on lists, `long` on arrays, with the same functions."""
