"""See `campaign`, which processes that are spawned can import by its name."""

import sys

from tests.hostile.campaign import main

sys.exit(main())
