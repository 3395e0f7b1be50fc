"""A whole run on one page: HTML with its figures inside, which opens without a network."""
