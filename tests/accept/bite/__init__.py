"""Plans of a team, their protocols interchangeable parts (BITE): every line that this is shown by, in order."""
