import time

import pymysql
import redis

resource = redis.Redis(port=7000)

for i in range(2):
    if i > 0:
        time.sleep(0.5)
    session = pymysql.connect(host="127.0.0.1", user="picklock", database="picklock")
    with session.cursor() as cursor:
        cursor.execute("SELECT GET_LOCK('order-42', 100000)")
        resource.execute_command("WRITE", "orders", "begun")
        time.sleep(4)
        resource.execute_command("WRITE", "orders", "paid")
        cursor.execute("SELECT RELEASE_LOCK('order-42')")
    session.close()
