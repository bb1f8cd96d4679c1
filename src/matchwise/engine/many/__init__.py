"""A batch of documents over NumPy arrays: frames, pairs and kernels, and what is read from the pairs chosen."""
