"""What the peers in Python share: the accounts, and the conversation with the bench's own process."""

import asyncio
import json
import signal
import sys
import time

STRIDE = 48_271  # as of Accounts


def account(number, rows):
    return number * STRIDE % rows + 1


async def share_out(balance, count, callers, rows):
    """Has so many callers ask for one balance after the other; returns what it took."""
    share = count // callers

    async def caller(first):
        for number in range(first, first + share):
            await balance(account(number, rows))

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(caller(index * share) for index in range(callers)))
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "objects": None, "result": share * callers}


async def serve(connect):
    """Answers requests, a line of JSON each, until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    options = json.loads(sys.argv[1])
    balance = await connect(options)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["method"] == "answers":
                result = [await balance(id) for id in request["arguments"]["ids"]]
            else:
                result = await share_out(balance, request["arguments"]["count"], options["callers"], options["rows"])
            answer = {"result": result}
        except Exception as error:
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)
