"""Reports of scored systems: their tables, as text and data for programs, and as a page."""
