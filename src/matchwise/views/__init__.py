"""Documents, alignments and errors as people see them: one view model, rendered as text, on a terminal and as HTML."""
