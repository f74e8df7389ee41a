"""A comparison of Tavolata with other game servers under one workload. See docs/benchmarks.md."""
