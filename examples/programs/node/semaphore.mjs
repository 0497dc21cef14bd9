// redis-semaphore's Mutex with its refresh timer, on ioredis. A holder reads the resource, works for two seconds, writes.
import Redis from "ioredis";
import { Mutex } from "redis-semaphore";

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const servers = new Redis({ host: "127.0.0.1" });
const resource = new Redis({ host: "127.0.0.1", port: 7000, enableReadyCheck: false });

for (let i = 0; i < 3; i++) {
  const mutex = new Mutex(servers, "order-42", { lockTimeout: 10000, acquireTimeout: 60000, retryInterval: 100 });
  await mutex.acquire();
  const [, version] = await resource.call("READ", "orders");
  await sleep(2000);
  await resource.call("WRITE", "orders", "paid", "BASED-ON", version);
  await mutex.release();
}
process.exit();
