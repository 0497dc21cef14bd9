"""redis-py's own lock by a client that connects again when it has lost its server."""
import time

import redis

servers = redis.Redis(socket_timeout=1)
resource = redis.Redis(port=7000)


def insist(action):
    while True:
        try:
            return action()
        except (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError):
            time.sleep(1)


for _ in range(3):
    lock = servers.lock("order-42", timeout=30, sleep=0.1)
    insist(lock.acquire)
    version = resource.execute_command("READ", "orders")[1]
    time.sleep(5)
    resource.execute_command("WRITE", "orders", "paid", "BASED-ON", version)
    try:
        insist(lock.release)
    except redis.exceptions.LockError:
        pass
