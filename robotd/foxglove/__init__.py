"""A run in Foxglove and Lichtblick: messages of Foxglove's standard schemas, in a file or live."""
