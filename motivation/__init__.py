"""See docs/architecture.md."""

import robotd.model  # noqa: F401 - first: it decides whether compiled modules are taken
