"""A simulated team in the browser: a run is a process of its own, a server shows it and passes clicks on."""
