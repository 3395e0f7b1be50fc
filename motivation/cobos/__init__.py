"""COBOS: tasks that need several robots, how many of them is learned, among robots within reach (paper 003)."""
