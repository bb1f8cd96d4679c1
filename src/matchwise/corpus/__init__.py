"""How much: documents are counted, counts are added, and every score of a corpus is read from the sum."""
