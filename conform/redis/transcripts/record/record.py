"""Runs a program that uses a lock library on redis-servers of our own, listens to them with MONITOR, and writes what
they were sent in the form that testing/conform/monitor.h gives to our own locks.

    record.py TITLE PROGRAM...    the program is called with the servers' ports behind

The program steers by ECHO, which no library sends, on a connection of its own to every server:
    ECHO "library TEXT"           of the header
    ECHO "script SHA1 NAME KEYS ARGUMENTS"
    ECHO "situation NAME"         a section begins
    ECHO "begin VERB"             a call of the library begins
    ECHO "end OUTCOME | WORDS"    it is over
    ECHO "done"
What else it sends on these connections is sent by `another`, but for what only prepares a server.
"""

import hashlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

SERVERS = 3
PREPARES = {"INFO", "CONFIG", "FLUSHALL", "SCRIPT", "ECHO", "PTTL", "EXISTS", "GET", "PING", "CLIENT"}
# A word of twelve hexadecimal digits or more, perhaps with hyphens in it.
RANDOM = re.compile(r"(?<![0-9A-Za-z-])(?=(?:-*[0-9a-f]){12})[0-9a-f-]+(?![0-9A-Za-z-])")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def words_of(quoted):
    """The arguments of a line of MONITOR: "set" "key" "a \\"b\\" \\x00"."""
    words = []
    for word in re.findall(r'"((?:[^"\\]|\\.)*)"', quoted):
        words.append(re.sub(r"\\(x([0-9a-f]{2})|.)",
                            lambda m: chr(int(m[2], 16)) if m[2] else ESCAPES.get(m[1], m[1]), word))
    return words


class Line:
    def __init__(self, text):
        match = re.match(r"[0-9.]+ \[\d+ ([^\]]+)\] (.*)", text)
        self.who = match[1]
        self.words = words_of(match[2])
        self.words[0] = self.words[0].upper()


class Renderer:
    """Turns the lines of all servers into one text, one section for each situation."""

    def __init__(self, servers):
        self.servers = servers  # of each its lines
        self.scripts = {}  # names, by sha1
        self.controls = [{line.who for line in lines if line.words[0] == "ECHO"} for lines in servers]
        self.at = [0] * len(servers)
        self.values = {}
        self.arguments = []  # of the command under way: scripts are given them
        self.out = []

    def next_mark(self):
        """Takes of every server what comes before its next mark: the mark, and the lines of each."""
        mark, taken = None, []
        for server, lines in enumerate(self.servers):
            mine = []
            while self.at[server] < len(lines):
                line = lines[self.at[server]]
                self.at[server] += 1
                if line.words[0] == "ECHO":
                    mark = line.words[1]
                    break
                mine.append(line)
            taken.append(mine)
        return mark, taken

    def run(self):
        call = None
        while True:
            mark, taken = self.next_mark()
            kind, _, rest = mark.partition(" ")
            if kind == "library":
                self.out.append(f"# library: {rest}")
            elif kind == "script":
                sha1, name, keys, arguments = rest.split(" ")
                self.scripts[sha1] = name
                self.out.append(f"# SCRIPT({name}): sha1 {sha1}, keys {keys}, arguments {arguments}")
            elif kind == "situation":
                self.values = {}
                self.out += ["", f"[{rest}]"]
            elif kind == "begin":
                call = rest
                self.show(taken)
            elif kind == "end":
                self.out.append(self.with_values(f"> {call} -> {rest}"))
                self.show(taken)
            elif kind == "done":
                return

    def show(self, taken):
        for server, lines in enumerate(taken):
            self.arguments = []
            for line in lines:
                text = self.line(server, line)
                if text:
                    self.out.append(text)

    def line(self, server, line):
        words = list(line.words)
        name = f"redis-{server + 1}"
        if line.who in self.controls[server]:
            return None if words[0] in PREPARES else f"another on {name}: " + self.join(words)
        if line.who == "lua":
            # The script computes it from the rest of the lease.
            if words[0] == "PEXPIRE" and words[2] not in self.arguments:
                words[2] = "COMPUTED"
            return f"{name} lua " + self.join(words)
        self.arguments = words
        if words[0] == "EVALSHA" and words[1] in self.scripts:
            words[1] = f"SHA({self.scripts[words[1]]})"
        for place, command in ((1, ["EVAL"]), (2, ["SCRIPT", "LOAD"])):
            if [word.upper() for word in words[:place]] == command:
                words[:place] = command
                words[place] = f"SCRIPT({self.scripts[sha1_of(words[place])]})"
        return f"{name} " + self.join(words)

    def join(self, words):
        words = [self.with_values(word) for word in words]
        return " ".join(f'"{word}"' if word == "" or re.search(r"\s", word) else word for word in words)

    def with_values(self, text):
        return RANDOM.sub(lambda m: self.values.setdefault(m[0], f"VALUE-{len(self.values) + 1}"), text)


def sha1_of(text):
    return hashlib.sha1(text.encode()).hexdigest()


def lines_of(log):
    """All of them, once the last has been written."""
    while True:
        with open(log, encoding="latin-1") as lines:
            found = [Line(text) for text in lines if text.endswith("\n") and text[0].isdigit()]
        if any(line.words == ["ECHO", "done"] for line in found):
            return found
        time.sleep(0.05)


def main():
    title, program = sys.argv[1], sys.argv[2:]
    version = subprocess.run(["redis-server", "--version"], capture_output=True, text=True, check=True).stdout
    ports = [free_port() for _ in range(SERVERS)]
    started, logs = [], []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for port in ports:
                started.append(subprocess.Popen(
                    ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder],
                    stdout=subprocess.DEVNULL))
            for port in ports:
                while subprocess.run(["redis-cli", "-p", str(port), "ping"], capture_output=True).stdout != b"PONG\n":
                    time.sleep(0.05)
                logs.append(os.path.join(folder, f"{port}.log"))
                with open(logs[-1], "wb") as log:
                    started.append(subprocess.Popen(["redis-cli", "-p", str(port), "monitor"], stdout=log))
            for log in logs:
                while os.path.getsize(log) == 0:  # OK: it listens
                    time.sleep(0.05)
            subprocess.run(program + [str(port) for port in ports], check=True)
            servers = [lines_of(log) for log in logs]
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()
    renderer = Renderer(servers)
    renderer.run()
    print(f"# {title}")
    print(f"# server: redis-server {re.search('v=([0-9.]+)', version)[1]}")
    print("\n".join(renderer.out))


if __name__ == "__main__":
    main()
