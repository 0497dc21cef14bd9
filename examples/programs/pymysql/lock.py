"""MySQL's GET_LOCK by PyMySQL. A holder reads the resource, works for two seconds, and writes."""
import time

import pymysql
import redis

resource = redis.Redis(port=7000)
session = pymysql.connect(host="127.0.0.1", user="picklock", database="picklock")

for _ in range(3):
    with session.cursor() as cursor:
        cursor.execute("SELECT GET_LOCK('order-42', 60)")
        if cursor.fetchone()[0] != 1:
            continue
        version = resource.execute_command("READ", "orders")[1]
        time.sleep(2)
        resource.execute_command("WRITE", "orders", "paid", "BASED-ON", version)
        cursor.execute("SELECT RELEASE_LOCK('order-42')")
