"""Readings of φ over whole collections: matrices, neighbours, duplicates, a consensus of candidates, and agreement."""
