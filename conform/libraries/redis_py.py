import time

import redis

servers = redis.Redis(socket_timeout=3)
resource = redis.Redis(port=7000)

for i in range(2):
    if i > 0:
        time.sleep(0.5)
    lock = servers.lock("order-42", timeout=10, sleep=0.1)
    lock.acquire()
    resource.execute_command("WRITE", "orders", "begun")
    time.sleep(4)
    resource.execute_command("WRITE", "orders", "paid")
    try:
        lock.release()
    except redis.exceptions.LockError:
        pass
