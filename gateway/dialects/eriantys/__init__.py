"""The three dialects of Eriantys. A seat of any of them can sit at a table with the others."""
