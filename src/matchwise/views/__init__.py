"""Alignments, errors and reports as people see them: on a terminal, as text, as HTML, in notebooks and in frames."""
