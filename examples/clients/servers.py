"""Simulated servers for a test in Python (docs/serving.md)."""

import json
import os
import subprocess

PICKLOCK = os.environ.get("PICKLOCK", "picklock")


class Servers:
    """Servers whose time stands still until it is advanced. They end with this process."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [PICKLOCK, "serve", "--manual", "--json", "--die-with-parent", *options], stdout=subprocess.PIPE)
        self.ports = json.loads(self.process.stdout.readline())

    def port(self, name):
        return next(one["port"] for one in self.ports["servers"] if one["name"] == name)

    def ctl(self, *words):
        answer = subprocess.run([PICKLOCK, "ctl", "--port", str(self.ports["control"]), *words],
                                check=True, stdout=subprocess.PIPE)
        return json.loads(answer.stdout)

    def entries(self, key):
        """What became of the lock: the connection that did it, and the one whose lock it was."""
        return [(one["what"], one["connection"], one["owner"]) for one in self.ctl("history") if one.get("key") == key]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
