"""The hook of Airflow's provider for IBM MQ: produce and consume, and what an error is.

Prints a line for each thing that it did, `ok NAME`.
"""

from __future__ import annotations

import asyncio
import json
import os

host, _, port = os.environ.get("MQ_CONN", "127.0.0.1(1414)").rstrip(")").partition("(")
os.environ["AIRFLOW_CONN_MQ_DEFAULT"] = json.dumps({
    "conn_type": "ibmmq", "login": "app", "password": "password", "host": host, "port": int(port),
    "extra": {"queue_manager": "QM1", "channel": "DEV.APP.SVRCONN"},
})  # fmt: skip

from airflow.providers.ibm.mq.hooks.mq import IBMMQHook  # noqa: E402

hook = IBMMQHook()


async def main() -> None:
    """Put and get."""
    await hook.aproduce("DEV.QUEUE.1", "asynchronous")
    assert await asyncio.wait_for(hook.aconsume("DEV.QUEUE.1", poll_interval=0.2), 60) == (
        "asynchronous"
    )
    print("ok produces and consumes")
    waiting = asyncio.create_task(hook.aconsume("DEV.QUEUE.1", poll_interval=0.2))
    await asyncio.sleep(1)
    await hook.aproduce("DEV.QUEUE.1", "later")
    assert await asyncio.wait_for(waiting, 60) == "later"
    print("ok waits for a message")
    try:
        await hook.aproduce("NO.SUCH.QUEUE", "lost")
    except Exception as error:
        assert "2085" in str(error) or getattr(error, "reason", 0) == 2085, error
        print("ok a queue that is not there is 2085")


asyncio.run(main())
