"""What can happen in a simulation, by verb: what programs and people may ask, in words. Imports nothing."""

BODY_VERBS = {
    "remove": "lift the robot out of the room",
    "return": "put it back at the entrance, or at its end of the box once the others are busy at the other",
    "seize": "hold it in place",
    "release": "let it go",
    "slow": "scale its top speed by ARG",
    "motors-dead": "its motors no longer turn",
    "dead": "the sensor, group or named resource ARG falls silent",
    "frozen": "the sensor ARG repeats its last reading",
    "noisy": "the sensor ARG reads wildly",
    "blind": "its camera misses what has the colour ARG, and nothing reports so",
    "restore": "the sensor ARG, or motors, work again",
}
PROCESS_VERBS = {
    "kill": "its process dies at once (SIGKILL)",
    "stop-process": "its process is stopped (SIGSTOP)",
    "reboot": "its computer reboots; it waits for permission again",
    "start": "a person permits it to move",
}
RADIO_VERBS = {"radio": "its radio goes ARG: off or on", "loss": "share ARG of frames is lost, to and from it"}
MISSION_VERBS = {
    "stop-team": "a person at this robot stops the whole team",
    "ack": "a person acknowledges its faults and the stop",
    "restart-mission": "the next run opens at this robot",
    "tune": "its coordinator goes on with the numbers ARG, KEY=VALUE,..., until it reboots",
    "add-task": "a person adds the task ARG, NAME or NAME:key=value,..., at this robot",
}
VERBS = {**BODY_VERBS, **PROCESS_VERBS, **RADIO_VERBS, **MISSION_VERBS}
WITH_ARG = {"slow", "dead", "frozen", "noisy", "blind", "restore", "radio", "loss", "tune", "add-task"}
STATION_VERBS = ("kill", "stop-process", "reboot", *RADIO_VERBS)
