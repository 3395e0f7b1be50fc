"""A board on its port and a person beside it: who answers there, do its parts work, does it keep the contract."""
