"""Many small documents at once: a batch is one list, and what its documents have is selected and compared together."""
