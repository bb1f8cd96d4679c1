"""One class per node of the algebra: what it does with two parts of objects, and with two frames of a batch."""
