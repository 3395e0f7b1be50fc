"""The behavior sets that move a box to a place: a watcher directs, pushers push (paper 002, section VI-B.2)."""
