"""The radio for real: modems, base station, authentication, lost and hostile air, by the line of what shows it."""
