"""Where a corpus runs: documents are mapped to tallies, and tallies are added."""
