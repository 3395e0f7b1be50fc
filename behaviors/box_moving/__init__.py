"""The behavior sets that move a box to a place: a watcher that directs, and pushers (paper 002, section VI-B.2)."""
