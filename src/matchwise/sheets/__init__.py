"""Results as tables: a sheet of them, written as text, Markdown, LaTeX, HTML and frames."""
