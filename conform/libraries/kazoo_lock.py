import time

import redis
from kazoo.client import KazooClient

resource = redis.Redis(port=7000)
ensemble = KazooClient(hosts="127.0.0.1:2181", timeout=10)
ensemble.start()
lock = ensemble.Lock("/order-42")

for i in range(2):
    if i > 0:
        time.sleep(0.5)
    lock.acquire()
    resource.execute_command("WRITE", "orders", "begun")
    time.sleep(4)
    resource.execute_command("WRITE", "orders", "paid")
    lock.release()
