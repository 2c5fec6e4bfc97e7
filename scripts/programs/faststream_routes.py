"""A service of faststream-mq: what it consumes, publishes, gives back and answers.

Prints a line for each thing that it did, `ok NAME`.
"""

from __future__ import annotations

import asyncio
import os

from faststream import AckPolicy
from faststream_mq import MQBroker

broker = MQBroker(
    "QM1", channel="DEV.APP.SVRCONN", conn_name=os.environ.get("MQ_CONN", "127.0.0.1(1414)"),
    username="app", password="password", wait_interval=0.2, logger=None,
)  # fmt: skip
deliveries: list[str] = []
published: asyncio.Queue[str] = asyncio.Queue()


@broker.subscriber("DEV.QUEUE.1", ack_policy=AckPolicy.NACK_ON_ERROR)
@broker.publisher("DEV.QUEUE.2")
async def shout(message: str) -> str:
    deliveries.append(message)
    if message == "twice" and deliveries.count("twice") < 3:
        raise ValueError("not yet")
    return message.upper()


@broker.subscriber("DEV.QUEUE.2")
async def hear(message: str) -> None:
    await published.put(message)


@broker.subscriber("DEV.QUEUE.3")
async def answer(message: str) -> str:
    return f"{message}?"


async def main() -> None:
    """Put, wait, compare."""
    await broker.start()
    await broker.publish("once", "DEV.QUEUE.1")
    assert await asyncio.wait_for(published.get(), 30) == "ONCE"
    print("ok consumes and publishes")
    await broker.publish("twice", "DEV.QUEUE.1")
    assert await asyncio.wait_for(published.get(), 30) == "TWICE"
    assert deliveries == ["once", "twice", "twice", "twice"]
    print("ok what a handler refuses comes again")
    response = await broker.request("who", "DEV.QUEUE.3", timeout=30)
    assert await response.decode() == "who?"
    print("ok request and reply")
    await broker.stop()


asyncio.run(main())
