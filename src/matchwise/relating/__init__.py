"""Readings of φ over whole collections: matrices, neighbours, duplicates and the consensus of several candidates."""
