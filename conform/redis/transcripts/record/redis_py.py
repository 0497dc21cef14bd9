"""What redis-py's Lock does in the situations that its transcript is about. Called by record.py with the ports of the
servers; it uses the first."""

import sys
import threading
import time

import redis
from redis.lock import Lock

PAUSE = 0.3  # between attempts: time enough to steer in between


class Stage:
    def __init__(self, port, all_ports):
        self.client = redis.Redis(port=port)
        self.controls = [redis.Redis(port=one) for one in all_ports]

    def mark(self, text):
        for control in self.controls:
            control.echo(text)

    def lock(self, **options):
        return Lock(self.client, "lock", **options)

    def call(self, verb, words, outcomes, run):
        """A call of the library, and what came of it: `outcomes` are for something true, false, and raised."""
        self.mark(f"begin {verb}")
        try:
            value = run()
            outcome = outcomes[0] if value is None or value else outcomes[1]
            text = f"{outcome} | {words}: {value}"
        except redis.exceptions.RedisError as error:
            text = f"{outcomes[-1]} | {words}: {type(error).__name__}: {error}"
        self.mark(f"end {text}")

    def acquire(self, lock, **options):
        given = ", ".join(f"{name}={value!r}" for name, value in options.items())
        self.call("acquire", f"acquire({given})", ["granted", "refused"], lambda: lock.acquire(**options))

    def release(self, lock):
        self.call("release", "release()", ["ok", "not-held"], lock.release)

    def extend(self, lock, seconds, **options):
        given = ", ".join([str(seconds)] + [f"{name}={value!r}" for name, value in options.items()])
        self.call("extend", f"extend({given})", ["ok", "not-held"], lambda: lock.extend(seconds, **options))

    def reacquire(self, lock):
        self.call("reacquire", "reacquire()", ["ok", "not-held"], lock.reacquire)

    def owned(self, lock):
        self.call("owned", "owned()", ["yes", "no"], lock.owned)

    def look(self, lock):
        self.owned(lock)
        self.call("locked", "locked()", ["yes", "no"], lock.locked)

    def another(self, *words):
        self.controls[0].execute_command(*words)

    def until(self, command, count):
        """Until the server has been sent so many commands of this name in this situation."""
        while True:
            stats = self.controls[0].info("commandstats").get(f"cmdstat_{command}", {})
            if stats.get("calls", 0) >= count:
                return
            time.sleep(0.005)


def acquired_and_released(stage):
    lock = stage.lock(timeout=60)
    stage.acquire(lock)
    stage.release(lock)


def once_more(stage):
    for _ in range(2):
        acquired_and_released(stage)


def without_timeout(stage):
    lock = stage.lock()
    stage.acquire(lock)
    stage.extend(lock, 60)
    stage.reacquire(lock)
    stage.release(lock)


def fraction(stage):
    stage.acquire(stage.lock(timeout=60.0015))


def given_token(stage):
    lock = stage.lock(timeout=60)
    stage.acquire(lock, token="a token of ours")
    stage.release(lock)


def not_blocking(stage):
    stage.another("SET", "lock", "another")
    stage.acquire(stage.lock(timeout=60), blocking=False)


def blocking(stage):
    stage.another("SET", "lock", "another")
    lock = stage.lock(timeout=60, sleep=PAUSE)
    # A token belongs to the thread that has acquired it.
    waiter = threading.Thread(target=lambda: (stage.acquire(lock), stage.release(lock)))
    stage.another("CONFIG", "RESETSTAT")
    waiter.start()
    stage.until("set", 2)
    stage.another("DEL", "lock")
    waiter.join()


def blocking_for_a_time(stage):
    stage.another("SET", "lock", "another")
    # Of attempts at 0, 0.4, 0.8, ... the fourth would come too late.
    stage.acquire(stage.lock(timeout=60, sleep=0.4, blocking_timeout=1.0))


def acquired_again(stage):
    lock = stage.lock(timeout=60)
    stage.acquire(lock)
    stage.acquire(lock, blocking=False)
    stage.release(lock)


def extended(stage):
    lock = stage.lock(timeout=60)
    stage.acquire(lock)
    stage.extend(lock, 30)
    stage.extend(lock, 30, replace_ttl=True)
    stage.release(lock)


def extended_after_its_lease(stage):
    lock = stage.lock(timeout=0.1)
    stage.acquire(lock)
    time.sleep(0.15)
    stage.extend(lock, 30)


def extended_after_another_has_taken_it(stage):
    lock = stage.lock(timeout=60)
    stage.acquire(lock)
    stage.another("SET", "lock", "another")
    stage.extend(lock, 30)


def reacquired(stage):
    lock = stage.lock(timeout=60)
    stage.acquire(lock)
    stage.reacquire(lock)
    stage.release(lock)


def reacquired_after_another_has_taken_it(stage):
    lock = stage.lock(timeout=60)
    stage.acquire(lock)
    stage.another("SET", "lock", "another")
    stage.reacquire(lock)


def released_after_its_lease(stage):
    lock = stage.lock(timeout=0.1)
    stage.acquire(lock)
    time.sleep(0.15)
    stage.release(lock)


def released_after_another_has_taken_it(stage):
    lock = stage.lock(timeout=60)
    stage.acquire(lock)
    stage.another("SET", "lock", "another")
    stage.release(lock)


def released_twice(stage):
    lock = stage.lock(timeout=60)
    stage.acquire(lock)
    stage.release(lock)
    stage.release(lock)


def owned(stage):
    lock = stage.lock(timeout=60)
    stage.acquire(lock)
    stage.owned(lock)
    stage.another("SET", "lock", "another")
    stage.owned(lock)


def looked_at(stage):
    lock = stage.lock(timeout=60)
    stage.look(lock)
    stage.acquire(lock)
    stage.look(lock)
    stage.another("SET", "lock", "another")
    stage.look(lock)


SITUATIONS = [
    ("a free lock is acquired and released", acquired_and_released),
    ("once more: the server knows the script", once_more),
    ("without a timeout", without_timeout),
    ("a timeout that is no whole number of milliseconds", fraction),
    ("a token that is given", given_token),
    ("refused without waiting", not_blocking),
    ("refused while another holds it, then acquired", blocking),
    ("refused for good", blocking_for_a_time),
    ("acquired again by its holder", acquired_again),
    ("extended", extended),
    ("extended after its lease", extended_after_its_lease),
    ("extended after another has taken it", extended_after_another_has_taken_it),
    ("reacquired", reacquired),
    ("reacquired after another has taken it", reacquired_after_another_has_taken_it),
    ("released after its lease", released_after_its_lease),
    ("released after another has taken it", released_after_another_has_taken_it),
    ("released twice", released_twice),
    ("owned, and then another's", owned),
    ("owned and locked", looked_at),
]


def main():
    ports = [int(port) for port in sys.argv[1:]]
    stage = Stage(ports[0], ports)
    stage.client.ping()
    stage.mark(f"library redis-py {redis.__version__} (Debian's python3-redis)")
    Lock(stage.client, "lock")  # registers the scripts
    stage.mark(f"script {Lock.lua_release.sha} release 1 1")
    stage.mark(f"script {Lock.lua_extend.sha} extend 1 3")
    stage.mark(f"script {Lock.lua_reacquire.sha} reacquire 1 2")
    for name, play in SITUATIONS:
        for control in stage.controls:
            control.flushall()
            if play is not once_more:
                control.script_flush()
            control.config_resetstat()
        stage.mark(f"situation {name}")
        play(stage)
    stage.mark("done")


if __name__ == "__main__":
    main()
