"""Tasks of psycopg over its pool, with prepared statements."""

import asyncio

from psycopg_pool import AsyncConnectionPool
from selects import serve

SELECT = "SELECT balance FROM accounts WHERE id = %s"


async def connect(options):
    size = options["connections"]
    pool = AsyncConnectionPool(options["uri"], min_size=size, max_size=size, kwargs={"autocommit": True, "prepare_threshold": 0},
                               timeout=600, open=False)
    await pool.open()

    async def balance(id):
        async with pool.connection() as connection:
            cursor = await connection.execute(SELECT, (id,))
            return (await cursor.fetchone())[0]

    return balance


asyncio.run(serve(connect))
