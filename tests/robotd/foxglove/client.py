"""A client of a Foxglove WebSocket server: the protocol foxglove.sdk.v1, as far as looking on needs it."""

import json
import struct
from collections import Counter

import aiohttp

PROTOCOL = "foxglove.sdk.v1"
MESSAGE = struct.Struct("<BIQ")  # opcode 1, subscription, log time in ns


async def receive(port: int, each: int, topics: set[str]) -> tuple[Counter[str], dict[str, str]]:
    """Subscribe to every topic until `each` messages of all `topics` came: how many came, and their schemas."""
    names: dict[int, str] = {}
    schemas: dict[str, str] = {}
    came: Counter[str] = Counter()
    async with (
        aiohttp.ClientSession() as client,
        client.ws_connect(f"ws://127.0.0.1:{port}", protocols=[PROTOCOL]) as socket,
    ):
        async for message in socket:
            if message.type is aiohttp.WSMsgType.TEXT:
                for channel in json.loads(message.data).get("channels", ()):
                    names[channel["id"]] = channel["topic"]
                    schemas[channel["topic"]] = channel["schemaName"]
                    wanted = {"id": channel["id"], "channelId": channel["id"]}
                    await socket.send_str(json.dumps({"op": "subscribe", "subscriptions": [wanted]}))
            elif message.data[0] == 1:
                came[names[MESSAGE.unpack_from(message.data)[1]]] += 1
            if topics <= came.keys() and all(came[topic] >= each for topic in topics):
                break
    return came, schemas
