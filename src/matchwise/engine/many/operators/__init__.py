"""The operators of a plan: each runs one node of the algebra over lists of parts."""
