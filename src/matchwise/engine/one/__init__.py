"""One pair of objects as they are: parts, which know their place, and the pairs that a matching chooses."""
