"""Documents, alignments, errors and scores as people see them: one view model, rendered as text and as HTML."""
