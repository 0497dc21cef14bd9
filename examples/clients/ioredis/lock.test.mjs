// Redlock on ioredis, as they are, on servers that fail on command (docs/serving.md).
//
//   npm ci && PICKLOCK=picklock node --test lock.test.mjs

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import Redis from "ioredis";
import Redlock from "redlock";

class Servers {
  static async start(...options) {
    const servers = new Servers();
    const program = process.env.PICKLOCK ?? "picklock";
    servers.process = spawn(program, ["serve", "--manual", "--json", "--die-with-parent", ...options],
      { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(createInterface(servers.process.stdout), "line");
    servers.ports = JSON.parse(line);
    return servers;
  }

  async ask(method, path, body) {
    const answer = await fetch(`http://127.0.0.1:${this.ports.control}${path}`,
      { method, body: body && JSON.stringify(body) });
    const text = await answer.text();
    assert.ok(answer.ok, text);
    return answer.headers.get("content-type").startsWith("application/json") ? JSON.parse(text) : text;
  }

  advance(by) { return this.ask("POST", "/advance", { by }); }
  fault(fault) { return this.ask("POST", "/faults", fault); }

  async violated() {
    const { verdicts } = await this.ask("GET", "/verdicts");
    return verdicts.filter(({ outcome }) => outcome === "violated").map(({ property }) => property);
  }

  write(client, name, value, headers = {}) {
    return fetch(`http://127.0.0.1:${this.ports.resource}/resource/${name}`,
      { method: "PUT", body: value, headers: { Client: client, ...headers } });
  }

  async stop() {
    this.process.kill();
    await once(this.process, "exit");
  }
}

// A process of the application: its name is that of all its connections.
class Worker {
  constructor(servers, name) {
    this.name = name;
    this.connections = servers.ports.servers.map(({ port }) =>
      new Redis({ port, connectionName: name, retryStrategy: () => 10, maxRetriesPerRequest: 0 }));
    for (const connection of this.connections) connection.on("error", () => {});
    this.locks = new Redlock(this.connections, { retryCount: 0, automaticExtensionThreshold: 1000 });
    this.locks.on("error", () => {});
  }

  quit() {
    for (const connection of this.connections) connection.disconnect();
  }
}

function workers(...options) {
  const given = {};
  before(async () => { given.servers = await Servers.start(...options); });
  beforeEach(async () => {
    await given.servers.ask("POST", "/reset");
    given.first = new Worker(given.servers, "first");
    given.second = new Worker(given.servers, "second");
  });
  afterEach(() => {
    given.first.quit();
    given.second.quit();
  });
  after(() => given.servers.stop());
  return given;
}

describe("one server", () => {
  const given = workers();

  test("workers take turns", async () => {
    for (const worker of [given.first, given.second, given.first]) {
      const lock = await worker.locks.acquire(["orders"], 10_000);
      assert.equal((await given.servers.write(worker.name, "bill", "paid")).status, 204);
      await lock.release();
    }
    assert.deepEqual(await given.servers.violated(), []);
  });

  test("a holder that outlives its lease writes after the next one", async () => {
    await given.first.locks.acquire(["orders"], 10_000);
    await given.servers.write("first", "bill", "begun");
    await given.servers.advance("11s");
    await given.second.locks.acquire(["orders"], 10_000);
    await given.servers.write("second", "bill", "paid");
    await given.servers.write("first", "bill", "paid twice");
    assert.deepEqual(await given.servers.violated(), ["resource-exclusion", "no-stale-write"]);
    assert.match(await given.servers.ask("GET", "/timeline"), /first's write was accepted/);
  });

  test("the late write is refused if it names the version that it has read", async () => {
    await given.first.locks.acquire(["orders"], 10_000);
    await given.servers.advance("11s");
    await given.second.locks.acquire(["orders"], 10_000);
    await given.servers.write("second", "bill", "paid", { "If-Match": '"1"' });
    const late = await given.servers.write("first", "bill", "paid twice", { "If-Match": '"1"' });
    assert.equal(late.status, 412);
    assert.deepEqual(await given.servers.violated(), []);
  });

  test("a holder that never learns of its lock keeps it from the others until the lease ends", async () => {
    await given.servers.fault({ pause: "redis-1", for: "1h", after: "command.applied", command: "EVAL", by: "first" });
    const lost = given.first.locks.acquire(["orders"], 10_000);
    await until(async () => (await given.servers.ask("GET", "/faults"))[0].struck !== null);
    given.first.quit();
    await assert.rejects(lost);
    await given.servers.advance("1h");
    await given.second.locks.acquire(["orders"], 10_000);
  });
});

describe("three servers", () => {
  const given = workers("--redis", "masters=3");

  test("the lock outlives one of them, and not two", async () => {
    const lock = await given.first.locks.acquire(["orders"], 60_000);
    await given.servers.fault({ crash: "redis-1" });
    await assert.rejects(given.second.locks.acquire(["orders"], 60_000));
    await lock.release();
    await given.servers.fault({ crash: "redis-2" });
    await assert.rejects(given.second.locks.acquire(["orders"], 60_000));
  });

  test("a server that restarts without its data gives a second holder the lock", async () => {
    await given.servers.fault({ crash: "redis-1", for: "1s" });
    await given.first.locks.acquire(["orders"], 60_000);  // on redis-2 and redis-3
    await given.servers.fault({ crash: "redis-2", for: "1s" });
    await given.servers.advance("2s");
    await given.servers.write("first", "bill", "begun");
    await until(() => given.second.connections.every(({ status }) => status === "ready"));
    await given.second.locks.acquire(["orders"], 60_000);  // on redis-1 and redis-2
    await given.servers.write("second", "bill", "paid");
    await given.servers.write("first", "bill", "paid twice");
    assert.deepEqual(await given.servers.violated(), ["resource-exclusion", "no-stale-write"]);
  });
});

async function until(holds) {
  while (!await holds()) await new Promise((go) => { setTimeout(go, 5); });
}
