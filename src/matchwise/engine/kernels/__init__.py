"""Arrays in, arrays out; no objects."""
