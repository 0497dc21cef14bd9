"""The same lock by a client that asks Sentinels for the primary, and tries again when it has lost it."""
import time

import redis
from redis.sentinel import MasterNotFoundError, Sentinel

sentinels = Sentinel([("127.0.0.1", port) for port in (26379, 26380, 26381)], socket_timeout=1)
servers = sentinels.master_for("redis-1", socket_timeout=1)
resource = redis.Redis(port=7000)


def insist(action):
    while True:
        try:
            return action()
        except (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError, MasterNotFoundError):
            time.sleep(1)


for _ in range(1):
    lock = insist(lambda: servers.lock("order-42", timeout=120, sleep=0.1))
    insist(lock.acquire)
    version = resource.execute_command("READ", "orders")[1]
    time.sleep(45)
    resource.execute_command("WRITE", "orders", "paid", "BASED-ON", version)
    try:
        insist(lock.release)
    except redis.exceptions.LockError:
        pass
