"""A plugin of pytest: the ensemble of kazoo's tests is one of `picklock serve`."""
import json
import os
import subprocess

import kazoo.testing.harness

PICKLOCK = os.environ["PICKLOCK"]


class Server:
    def __init__(self, ensemble, name, port):
        self.ensemble = ensemble
        self.name = name
        self.address = f"127.0.0.1:{port}"
        self.running = True

    def run(self):
        self.ensemble.fault("restart", self.name)
        self.running = True

    def stop(self):
        self.ensemble.fault("crash", self.name)
        self.running = False


class Ensemble(list):
    def __init__(self):
        self.process = subprocess.Popen(
            [PICKLOCK, "serve", "--zookeeper", "servers=3", "--json", "--no-timeline", "--die-with-parent"],
            stdout=subprocess.PIPE)
        ports = json.loads(self.process.stdout.readline())
        self.control = str(ports["control"])
        super().__init__(Server(self, one["name"], one["port"]) for one in ports["servers"])

    def fault(self, verb, server):
        subprocess.run([PICKLOCK, "ctl", "--port", self.control, "fault", f"{verb}={server}"],
                       check=True, stdout=subprocess.DEVNULL)


ensemble = Ensemble()
kazoo.testing.harness.get_global_cluster = lambda: ensemble
