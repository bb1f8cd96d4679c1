"""The pairs chosen at every Σ, and who reads them: fields, labels, and whoever asks for the pairs themselves."""
