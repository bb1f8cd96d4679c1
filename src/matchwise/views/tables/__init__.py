"""The scores of one or several systems as tables: text, JSON, JSON lines, CSV, Markdown, LaTeX or HTML."""
