"""What a guardian and its child send each other, over a SOCK_SEQPACKET pair.

Child to guardian: `.` is a beat, `?` asks whether it is there; else JSON with "kind": hold (name, halt in
hexadecimal, one descriptor), release (name), ready (period_s), status (text), acknowledged, stopping, bye.
Guardian to child: `!` says that it is; held (name), released (name), stop.
"""

BEAT, PING, PONG = b".", b"?", b"!"
MAX_MESSAGE = 4096
FD_VARIABLE, CAUSE_VARIABLE = "ROBOTD_GUARDIAN_FD", "ROBOTD_LAST_STOP"  # in the environment of the child
