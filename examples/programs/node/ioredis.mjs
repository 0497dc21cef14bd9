// A lock written by hand with ioredis. A holder reads the resource, works for two seconds, and writes.
import { randomUUID } from "node:crypto";
import Redis from "ioredis";

const lua = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const servers = new Redis({ host: "127.0.0.1", scripts: { release: { lua, numberOfKeys: 1 } } });
const resource = new Redis({ host: "127.0.0.1", port: 7000, enableReadyCheck: false });

for (let i = 0; i < 3; i++) {
  const token = randomUUID();
  while (!(await servers.set("order-42", token, "PX", 10000, "NX"))) await sleep(100);
  const [, version] = await resource.call("READ", "orders");
  await sleep(2000);
  await resource.call("WRITE", "orders", "paid", "BASED-ON", version);
  await servers.release("order-42", token);
}
process.exit();
