"""Exact matchings of two lists of parts, each saying what it proves."""
