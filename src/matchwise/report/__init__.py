"""The scores of one or several systems, rendered: as text, JSON, JSON lines, CSV, Markdown or LaTeX."""
