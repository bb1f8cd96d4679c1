"""Best matchings of cells, sequences, trees, graphs and variables, for one and for many; each says what it proves."""
