"""GET_LOCK and row locks with PyMySQL, as it is, on servers that fail on command (docs/serving.md).

    PICKLOCK=picklock python3 -m unittest examples/clients/pymysql/test_lock.py
"""

import subprocess
import threading
import time
import unittest

import pymysql

from examples.clients.servers import PICKLOCK, Servers

PATIENCE = 60  # seconds, for an answer


class Database(Servers):
    """A primary and a replica, and their clients. All end with this process."""

    def __init__(self, *options):
        super().__init__("--mysql", "replicas=1", *options)
        self.clients = []

    def client(self, server="mysql-1", **options):
        client = pymysql.connect(host="127.0.0.1", port=self.port(server), user="app", password="any",
                                 read_timeout=PATIENCE, **{"autocommit": True, **options})
        self.clients.append(client)
        return client

    def __exit__(self, *error):
        for client in self.clients:
            if client.open:
                client.close()
        super().__exit__(*error)


def value(client, statement, *arguments):
    """The one value of the result; None also where the statement has no result."""
    with client.cursor() as cursor:
        cursor.execute(statement, arguments)
        row = cursor.fetchone()
        return row[0] if row else None


def acquire(client, seconds):
    return value(client, "SELECT GET_LOCK(%s, %s)", "orders", seconds)


class Background:
    """A statement that waits in a thread of its own."""

    def __init__(self, function, *arguments):
        self.answer = self.error = None
        self.thread = threading.Thread(target=self.run, args=(function, *arguments), daemon=True)
        self.thread.start()

    def run(self, function, *arguments):
        try:
            self.answer = function(*arguments)
        except pymysql.MySQLError as error:
            self.error = error

    def result(self):
        self.thread.join(PATIENCE)
        if self.thread.is_alive():
            raise AssertionError("there is no answer")
        if self.error:
            raise self.error
        return self.answer


def wait_until_sent(servers, statement, times=1):
    """Until so many of these statements have reached the servers, as their timeline shows."""
    until = time.monotonic() + PATIENCE
    while timeline(servers).count(statement) < times:
        if time.monotonic() > until:
            raise AssertionError(f"{statement} does not arrive")
        time.sleep(0.01)


def timeline(servers):
    return subprocess.run([PICKLOCK, "ctl", "--port", str(servers.ports["control"]), "timeline", "everything"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout


class LockTest(unittest.TestCase):
    def test_two_clients_take_turns(self):
        with Database() as servers:
            first, second = servers.client(), servers.client()
            self.assertEqual(acquire(first, 10), 1)
            self.assertEqual(acquire(second, 0), 0)
            self.assertEqual(value(second, "SELECT IS_USED_LOCK('orders')"), first.thread_id())
            waiting = Background(acquire, second, 3)
            wait_until_sent(servers, "GET_LOCK('orders', 3)")
            self.assertEqual(value(first, "SELECT RELEASE_LOCK('orders')"), 1)
            self.assertEqual(waiting.result(), 1)
            self.assertEqual(servers.entries("orders"),
                             [("entry created", 1, 0), ("entry removed", 1, 1), ("entry created", 2, 0)])

    def test_a_client_that_waits_too_long_gets_0(self):
        with Database() as servers:
            first, second = servers.client(), servers.client()
            self.assertEqual(acquire(first, 10), 1)
            waiting = Background(acquire, second, 3)
            wait_until_sent(servers, "GET_LOCK('orders', 3)")
            servers.ctl("advance", "4s")
            self.assertEqual(waiting.result(), 0)

    def test_a_lock_ends_with_the_connection_of_its_holder(self):
        with Database() as servers:
            first, second = servers.client(), servers.client()
            self.assertEqual(acquire(first, 10), 1)
            waiting = Background(acquire, second, 3)
            wait_until_sent(servers, "GET_LOCK('orders', 3)")
            first.close()
            self.assertEqual(waiting.result(), 1)

    def test_a_holder_whose_connection_was_killed_still_believes_while_another_has_the_lock(self):
        with Database() as servers:
            first, second = servers.client(), servers.client()
            self.assertEqual(acquire(first, 10), 1)
            value(second, "KILL %s", first.thread_id())
            self.assertEqual(acquire(second, 0), 1)
            self.assertTrue(first.open)  # nothing has told it
            self.assertEqual(servers.entries("orders"),
                             [("entry created", 1, 0), ("entry removed", 0, 1), ("entry created", 2, 0)])
            with self.assertRaises(pymysql.OperationalError) as lost:
                value(first, "SELECT RELEASE_LOCK('orders')")
            self.assertIn(lost.exception.args[0], (2006, 2013))

    def test_a_failover_loses_the_lock(self):
        with Database() as servers:
            first = servers.client()
            self.assertEqual(acquire(first, 10), 1)
            servers.ctl("failover", "mysql-1")
            second = servers.client("mysql-2")
            self.assertEqual(value(second, "SELECT @@read_only"), 0)
            self.assertEqual(acquire(second, 0), 1)

    def test_a_replica_takes_no_writes(self):
        with Database() as servers:
            with self.assertRaises(pymysql.OperationalError) as refused:
                value(servers.client("mysql-2"), "INSERT INTO lock_rows VALUES ('orders')")
            self.assertEqual(refused.exception.args[0], 1290)

    def test_a_locked_row_makes_the_second_wait_until_its_timeout(self):
        lock = "SELECT name FROM lock_rows WHERE name = %s FOR UPDATE"
        with Database() as servers:
            first, second = servers.client(autocommit=False), servers.client(autocommit=False)
            value(first, "INSERT INTO lock_rows VALUES ('orders')")
            first.commit()
            self.assertEqual(value(first, lock, "orders"), "orders")
            value(second, "SET SESSION innodb_lock_wait_timeout = 5")
            waiting = Background(value, second, lock, "orders")
            wait_until_sent(servers, "SELECT * FROM lock_rows", 2)
            servers.ctl("advance", "6s")
            with self.assertRaises(pymysql.OperationalError) as late:
                waiting.result()
            self.assertEqual(late.exception.args[0], 1205)
            waiting = Background(value, second, lock, "orders")
            wait_until_sent(servers, "SELECT * FROM lock_rows", 3)
            first.rollback()
            self.assertEqual(waiting.result(), "orders")

    def test_a_row_can_be_inserted_once(self):
        with Database() as servers:
            first, second = servers.client(), servers.client()
            value(first, "INSERT INTO locks (name) VALUES (%s)", "it's")
            with self.assertRaises(pymysql.IntegrityError) as taken:
                value(second, "INSERT INTO locks (name) VALUES (%s)", "it's")
            self.assertEqual(taken.exception.args[0], 1062)

    def test_the_circle_of_two_transactions_ends_with_a_deadlock(self):
        lock = "SELECT * FROM lock_rows WHERE name = %s FOR UPDATE"
        with Database() as servers:
            first, second = servers.client(autocommit=False), servers.client(autocommit=False)
            for name in ("a", "b"):
                value(first, "INSERT INTO lock_rows VALUES (%s)", name)
            first.commit()
            value(first, lock, "a")
            value(second, lock, "b")
            waiting = Background(value, first, lock, "b")
            wait_until_sent(servers, "SELECT * FROM lock_rows", 3)
            errors = []
            for wait in (lambda: value(second, lock, "a"), waiting.result):
                try:
                    wait()
                except pymysql.OperationalError as error:
                    errors.append(error.args[0])
            self.assertEqual(errors, [1213])


if __name__ == "__main__":
    unittest.main()
