// redlock on three masters. A holder reads the resource, works for two seconds, and writes.
import Redis from "ioredis";
import Redlock from "redlock";

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const servers = [6379, 6380, 6381].map((port) => new Redis({ host: "127.0.0.1", port }));
const resource = new Redis({ host: "127.0.0.1", port: 7000, enableReadyCheck: false });
const redlock = new Redlock(servers, { retryCount: 1000, retryDelay: 100 });

for (let i = 0; i < 3; i++) {
  const lock = await redlock.acquire(["order-42"], 10000);
  const [, version] = await resource.call("READ", "orders");
  await sleep(2000);
  await resource.call("WRITE", "orders", "paid", "BASED-ON", version);
  await lock.release();
}
process.exit();
