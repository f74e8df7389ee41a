"""The parts that the three dialects of Eriantys share: the table, the conversation, and reading of input."""
