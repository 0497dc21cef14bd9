"""The lock of kazoo, as it is, on an ensemble that fails on command (docs/serving.md).

    PICKLOCK=picklock python3 -m unittest examples/clients/kazoo/test_lock.py
"""

import subprocess
import sys
import threading
import time
import unittest

from kazoo.client import KazooClient, KazooState

from examples.clients.servers import Servers

PATIENCE = 120  # seconds, for what kazoo does by the clock on the wall

# A process that holds the lock until it is killed.
HOLDER = """
import sys
from kazoo.client import KazooClient
client = KazooClient(hosts=sys.argv[1], timeout=4)
client.start()
client.Lock("/orders").acquire()
print("held", flush=True)
sys.stdin.read()
"""


class Ensemble(Servers):
    """Three servers and their clients. All end with this process."""

    def __init__(self, *options):
        super().__init__("--zookeeper", "servers=3", *options)
        self.clients = []

    def hosts(self, *names):
        return ",".join(f"127.0.0.1:{one['port']}" for one in self.ports["servers"] if not names or one["name"] in names)

    def client(self, *names, timeout=40):
        """A client of these servers. Its session ends when so many seconds of virtual time pass without a ping."""
        client = KazooClient(hosts=self.hosts(*names), timeout=timeout, command_retry={"max_tries": -1, "max_delay": 0.2},
                             connection_retry={"max_tries": -1, "max_delay": 0.2})
        client.states = []
        client.add_listener(client.states.append)
        client.start(timeout=PATIENCE)
        self.clients.append(client)
        return client

    def __exit__(self, *error):
        for client in self.clients:
            client.stop()
            client.close()
        super().__exit__(*error)


def in_background(lock):
    """Acquires the lock in a thread, which must be joined."""
    thread = threading.Thread(target=lock.acquire, daemon=True)
    thread.start()
    return thread


def wait_until(condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > until:
            raise AssertionError("it does not come about")
        time.sleep(0.01)


class LockTest(unittest.TestCase):
    def test_two_clients_take_turns(self):
        with Ensemble() as servers:
            first, second = (servers.client().Lock("/orders") for _ in range(2))
            self.assertTrue(first.acquire())
            self.assertFalse(second.acquire(blocking=False))
            waiting = in_background(second)
            wait_until(lambda: len(first.contenders()) == 2)
            self.assertFalse(second.is_acquired)
            first.release()
            waiting.join(PATIENCE)
            self.assertTrue(second.is_acquired)

    def test_a_holder_that_crashes_loses_the_lock_when_its_session_expires(self):
        with Ensemble() as servers:
            holder = subprocess.Popen([sys.executable, "-c", HOLDER, servers.hosts()],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.assertEqual(holder.stdout.readline(), b"held\n")
            next_one = servers.client().Lock("/orders")
            waiting = in_background(next_one)
            wait_until(lambda: len(next_one.contenders()) == 2)
            holder.kill()
            holder.communicate()
            self.assertFalse(next_one.is_acquired)  # no time has passed since
            servers.ctl("advance", "7s")  # a session of 4 s ends at a multiple of a tick of 2 s
            waiting.join(PATIENCE)
            self.assertTrue(next_one.is_acquired)
            self.assertEqual(servers.entries("/orders"),
                             [("entry created", 1, 0), ("entry removed", 0, 1), ("entry created", 2, 0)])

    def test_a_holder_keeps_the_lock_when_the_leader_crashes(self):
        with Ensemble() as servers:
            holder = servers.client()
            session = holder.client_id
            self.assertTrue(holder.Lock("/orders").acquire())
            servers.ctl("fault", "crash=zookeeper-1")
            servers.ctl("advance", "5s")  # the others elect a leader
            wait_until(lambda: holder.states[-2:] == [KazooState.SUSPENDED, KazooState.CONNECTED])
            self.assertEqual(holder.client_id, session)
            self.assertFalse(servers.client("zookeeper-2").Lock("/orders").acquire(blocking=False))
            self.assertEqual(servers.entries("/orders"), [("entry created", 1, 0)])

    def test_a_holder_that_is_cut_off_still_believes_while_another_has_the_lock(self):
        with Ensemble() as servers:
            first, second = servers.client("zookeeper-2", timeout=4), servers.client("zookeeper-3")
            lost, taken = first.Lock("/orders"), second.Lock("/orders")
            self.assertTrue(lost.acquire())
            servers.ctl("fault", "partition=client-1", 'from=["zookeeper-2"]', "for=10s")
            servers.ctl("advance", "7s")
            self.assertTrue(taken.acquire(timeout=PATIENCE))
            self.assertTrue(lost.is_acquired)
            self.assertNotIn(KazooState.LOST, first.states)
            self.assertEqual(servers.entries("/orders"),
                             [("entry created", 1, 0), ("entry removed", 0, 1), ("entry created", 2, 0)])
            servers.ctl("advance", "4s")  # the partition is over
            wait_until(lambda: KazooState.LOST in first.states)


if __name__ == "__main__":
    unittest.main()
