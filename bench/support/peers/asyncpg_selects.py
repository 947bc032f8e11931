"""Tasks of asyncpg over a pool. Statements are prepared by asyncpg itself."""

import asyncio
import os

import asyncpg
from selects import serve

SELECT = "SELECT balance FROM accounts WHERE id = $1"


async def connect(options):
    size = options["connections"]
    pool = await asyncpg.create_pool(options["uri"], min_size=size, max_size=size,
                                     server_settings={"application_name": os.environ["PGAPPNAME"]})

    async def balance(id):
        return await pool.fetchval(SELECT, id)

    return balance


asyncio.run(serve(connect))
