"""What the benchmarks share: seeded documents, a stopwatch, and a table."""
