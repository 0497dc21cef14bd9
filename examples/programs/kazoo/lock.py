"""kazoo's own lock. A holder reads the resource, works for two seconds, and writes."""
import time

import redis
from kazoo.client import KazooClient

resource = redis.Redis(port=7000)
ensemble = KazooClient(hosts="127.0.0.1:2181,127.0.0.1:2182,127.0.0.1:2183")
ensemble.start()

for _ in range(3):
    with ensemble.Lock("/order-42"):
        version = resource.execute_command("READ", "orders")[1]
        time.sleep(2)
        resource.execute_command("WRITE", "orders", "paid", "BASED-ON", version)

ensemble.stop()
