"""Many small records at once: the documents of a batch are one list, and what they have is compared by columns."""
