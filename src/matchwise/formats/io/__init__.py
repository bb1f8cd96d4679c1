"""What every reader shares: opening and decompressing files, lines, decoding, and pairing two files."""
