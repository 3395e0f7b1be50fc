BOARDS: dict[str, object] = {}
RADIOS: dict[str, object] = {}
