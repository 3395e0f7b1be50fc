"""An emulated Pololu Maestro with a two-axis gripper on its servos, sans-I/O, over a simulated body."""

from collections.abc import Mapping
from typing import Any

from boards.emulator import Emulator
from boards.maestro.driver import GET_POSITION, POLOLU, SET_SPEED, SET_TARGET, MaestroSettings, crc7
from boards.mock.driver import MockR2

WIRING: Mapping[str, Any] = {"channel": 0, "lift_channel": 1, "beam_channel": 2}
"""The table of a robot file for the gripper that is emulated."""
DATA_BYTES = {SET_TARGET: 3, SET_SPEED: 3, GET_POSITION: 1}
DARK, LIGHT = 40, 1000  # what the beam's receiver reads


class MaestroEmulator(Emulator):
    """The other end of `boards.maestro.driver.Maestro`. A command byte begins anew, whatever was unfinished; what
    is wrong is ignored and counted in `errors`."""

    def __init__(self, body: MockR2, seed: int = 0, **table: Any) -> None:
        super().__init__(body, seed)
        self.wiring = MaestroSettings(**{**WIRING, **table})
        self.errors = 0
        self._reset()

    @classmethod
    def parameters(cls, top_speed: float) -> dict[str, Any]:
        return dict(WIRING)

    def _reset(self) -> None:
        self.targets: dict[int, int] = {}  # by channel, of servos that are on
        self.speeds: dict[int, int] = {}
        self._begun = bytearray()

    def _forget(self, now: float) -> None:
        """The servos are limp."""
        self._reset()
        gripper = self.chassis.gripper
        self.chassis.grip(now, gripper.opening, gripper.lift)

    def _take(self, now: float, data: bytes) -> None:
        for byte in data:
            if byte >= 0x80:
                self.errors += bool(self._begun)
                self._begun[:] = bytes([byte])
            elif self._begun:
                self._begun.append(byte)
            else:
                self.errors += 1
            self._whole(now)

    def _whole(self, now: float) -> None:
        """Do what was begun, once it is complete, if it is for this device and its checksum is right."""
        begun, head = self._begun, 1
        if begun[:1] == bytes([POLOLU]):
            head = 3
        if len(begun) < head:
            return
        command = begun[0] if head == 1 else begun[2] | 0x80
        size = DATA_BYTES.get(command)
        if size is None:
            self.errors += 1
            begun.clear()
            return
        if len(begun) < head + size + self.wiring.crc:
            return
        whole, data = bytes(begun), bytes(begun[head : head + size])
        begun.clear()
        if self.wiring.crc and crc7(whole[:-1]) != whole[-1]:
            self.errors += 1
        elif (whole[1] if head == 3 else None) in (None, self.wiring.device):
            self._obey(now, command, data)

    def _obey(self, now: float, command: int, data: bytes) -> None:
        channel = data[0]
        if command == GET_POSITION:
            self.line.send(now, self._position(now, channel).to_bytes(2, "little"))
        elif command == SET_SPEED:
            self.speeds[channel] = data[1] | data[2] << 7
        else:
            target = data[1] | data[2] << 7
            if target:
                self.targets[channel] = target
            else:
                self.targets.pop(channel, None)
            self._turn(now)

    def _turn(self, now: float) -> None:
        """Send the body's gripper where the pulses ask for; without pulses it stays where it is."""
        s, gripper = self.wiring, self.chassis.gripper
        opening, lift = gripper.opening, gripper.lift
        if s.channel in self.targets:
            opening = (self.targets[s.channel] / 4 - s.shut_us) / (s.open_us - s.shut_us)
        if s.lift_channel in self.targets:
            lift = (self.targets[s.lift_channel] / 4 - s.down_us) / (s.up_us - s.down_us)
        self.chassis.grip(now, opening, lift)

    def _position(self, now: float, channel: int) -> int:
        """Quarters of a microsecond of a servo, 0 while it is off; of an input 0 to 1023."""
        s = self.wiring
        self.body.world.advance(now)
        if channel == s.beam_channel:
            return DARK if self.chassis.beam == s.beam_low else LIGHT
        if channel not in self.targets:
            return 0
        if channel == s.channel:
            return round(4 * (s.shut_us + self.chassis.gripper.opening * (s.open_us - s.shut_us)))
        return round(4 * (s.down_us + self.chassis.gripper.lift * (s.up_us - s.down_us)))
