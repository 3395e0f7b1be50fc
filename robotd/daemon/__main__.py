"""`python -m robotd.daemon ROBOT.toml`, which the guardian starts: the process of a robot.

Garbage is first collected after the first tick. Nearly all that a start makes lives as long as the process, and to
look at it again and again while it grows takes a tenth of the start.
"""

import gc

from robotd.daemon.authorities import no_file_of_authorities

gc.disable()

with no_file_of_authorities():
    from robotd.daemon.daemon import leave, main  # what it imports is what there is to look at

leave(main())
