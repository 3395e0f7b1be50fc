"""The daemon and the cleanup mission: every line that this work is shown by, in its order."""
