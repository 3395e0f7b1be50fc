"""`python -m robotd.daemon ROBOT.toml`, which the guardian starts: the process of a robot.

Garbage is first collected after the first tick. Nearly all that a start makes lives as long as the process, and to
look at it again and again while it grows takes a tenth of the start.
"""

import gc

gc.disable()

from robotd.daemon.daemon import leave, main  # noqa: E402 - what it imports is what there is to look at

leave(main())
