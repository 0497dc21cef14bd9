"""redis-py's own lock, as it comes. A holder reads the resource, works for two seconds, and writes."""
import time

import redis

servers = redis.Redis()
resource = redis.Redis(port=7000)

for _ in range(3):
    with servers.lock("order-42", timeout=10, sleep=0.1):
        version = resource.execute_command("READ", "order-42")[1]
        time.sleep(2)
        resource.execute_command("WRITE", "order-42", "paid", "BASED-ON", version)
