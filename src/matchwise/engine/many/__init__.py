"""A batch of documents over NumPy arrays: frames, pairs, kernels, and one operator per node."""
