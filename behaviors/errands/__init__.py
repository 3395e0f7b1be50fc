"""The behavior sets of loosely coupled tasks, one robot to a task (paper 002, section VI-B.1)."""
