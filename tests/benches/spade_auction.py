"""An auction on SPADE: `python -P spade_auction.py BIDDERS AUCTIONS` prints as JSON what one costs."""

import asyncio
import json
import logging
import resource
import statistics
import sys
from typing import Any

import spade
from loguru import logger
from spade.behaviour import CyclicBehaviour, OneShotBehaviour
from spade.message import Message

BIDDERS, AUCTIONS = int(sys.argv[1]), int(sys.argv[2])
WINDOW_S = 1.5
logging.disable(logging.CRITICAL)
logger.remove()


def used() -> Any:
    """What this process has used."""
    return resource.getrusage(resource.RUSAGE_SELF)


def message(to: str, **body: Any) -> Message:
    """A message to one of them."""
    return Message(to=to, body=json.dumps(body))


class Bidder(spade.agent.Agent):
    """Bids its score on every call, and acknowledges what it has won."""

    score = 0.0

    class Bids(CyclicBehaviour):
        """Answers one message after the other."""

        async def run(self) -> None:
            """One message."""
            got = await self.receive(timeout=60)
            body = json.loads(got.body) if got is not None else {}
            number = body.get("number")
            if body.get("kind") == "call":
                await self.send(message(str(got.sender), kind="bid", number=number, score=self.agent.score))
            elif body.get("kind") == "award" and body["winner"] == str(self.agent.jid):
                await self.send(message(str(got.sender), kind="acknowledgement", number=number))

    async def setup(self) -> None:
        """Begin to answer."""
        self.add_behaviour(self.Bids())


class Auctioneer(spade.agent.Agent):
    """Calls for bids, waits, and awards."""

    class Sells(OneShotBehaviour):
        """All auctions, one after the other."""

        async def run(self) -> None:
            """Processor time of each, s."""
            self.agent.times = []
            for number in range(AUCTIONS):
                before = used()
                await self.auction(number)
                after = used()
                self.agent.times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

        async def auction(self, number: int) -> None:
            """One auction."""
            names, loop = [f"b{k}@localhost" for k in range(BIDDERS)], asyncio.get_running_loop()
            for name in names:
                await self.send(message(name, kind="call", number=number, task="sweep"))
            bids, end = {}, loop.time() + WINDOW_S
            while (left := end - loop.time()) > 0.0:
                got = await self.receive(timeout=left)
                if got is not None:
                    bids[str(got.sender).split("/")[0]] = json.loads(got.body)["score"]
            for name in names:
                await self.send(message(name, kind="award", number=number, winner=max(bids, key=bids.__getitem__)))
            assert await self.receive(timeout=10) is not None

    async def setup(self) -> None:
        """Begin."""
        self.sells = self.Sells()
        self.add_behaviour(self.sells)


async def main() -> None:
    """All of them in one process."""
    bidders = [Bidder(f"b{k}@localhost", "secret") for k in range(BIDDERS)]
    for k, bidder in enumerate(bidders):
        bidder.score = 0.5 + k / 100
        await bidder.start(auto_register=True)
    auctioneer = Auctioneer("desk@localhost", "secret")
    await auctioneer.start(auto_register=True)
    start_s = used().ru_utime + used().ru_stime
    await auctioneer.sells.join()
    found = {
        "auction_s": statistics.median(auctioneer.times), "start_s": start_s, "memory_mb": used().ru_maxrss / 1024,
    }  # fmt: skip
    sys.stdout.write(json.dumps(found) + "\n")
    for one in (*bidders, auctioneer):
        await one.stop()


spade.run(main(), embedded_xmpp_server=True)
