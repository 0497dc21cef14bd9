"""The lock of redis-py, as it is, on servers that fail on command (docs/serving.md).

    PICKLOCK=picklock python3 -m unittest examples/clients/redis_py/test_lock.py
"""

import unittest

import redis
from redis.exceptions import LockNotOwnedError
from redis.sentinel import Sentinel

from examples.clients.servers import Servers


class LockTest(unittest.TestCase):
    def test_a_holder_that_outlives_its_lease_loses_the_lock_and_is_told_so(self):
        with Servers() as servers:
            client = redis.Redis(port=servers.port("redis-1"))
            first, second = (client.lock("orders", timeout=10) for _ in range(2))
            self.assertTrue(first.acquire())
            self.assertFalse(second.acquire(blocking=False))
            servers.ctl("advance", "11s")
            self.assertTrue(second.acquire(blocking=False))
            with self.assertRaises(LockNotOwnedError):
                first.release()
            self.assertTrue(second.owned())

    def test_a_failover_gives_the_lock_to_a_second_holder(self):
        with Servers("--redis", "masters=1,replicas=1") as servers:
            first = redis.Redis(port=servers.port("redis-1")).lock("orders", timeout=10)
            self.assertTrue(first.acquire())
            servers.ctl("failover", "redis-1")  # before the replica has heard of the lock
            for server in ("redis-1", "redis-1-replica-1"):  # both addresses lead to the replica
                second = redis.Redis(port=servers.port(server)).lock("orders", timeout=10)
                self.assertTrue(second.acquire(blocking=False))
                second.release()

    def test_a_client_of_sentinels_finds_the_new_primary(self):
        with Servers("--redis", "masters=1,replicas=1,sentinels=3") as servers:
            sentinels = Sentinel([("127.0.0.1", servers.port(f"redis-1-sentinel-{i}")) for i in (1, 2, 3)])
            self.assertTrue(sentinels.master_for("redis-1").lock("orders", timeout=100).acquire())
            servers.ctl("advance", "1s")
            servers.ctl("fault", "crash=redis-1")
            servers.ctl("advance", "60s")
            self.assertEqual(sentinels.discover_master("redis-1")[1], servers.port("redis-1-replica-1"))
            self.assertFalse(sentinels.master_for("redis-1").lock("orders").acquire(blocking=False))

    def test_the_history_says_who_removed_whose_entry(self):
        with Servers() as servers:
            careless, owner = redis.Redis(port=servers.port("redis-1")), redis.Redis(port=servers.port("redis-1"))
            self.assertTrue(careless.ping())
            self.assertTrue(owner.lock("orders", timeout=10).acquire())
            careless.delete("orders")
            removed = [one for one in servers.ctl("history") if one["what"] == "entry removed"]
            self.assertEqual([(one["connection"], one["owner"]) for one in removed], [(1, 2)])


if __name__ == "__main__":
    unittest.main()
