"""A board on its port, and a person: which board answers, do its parts work, does it keep the contract."""
