// A holder works in three steps, and stops between two of them once redis-semaphore tells it that its lock is lost. The
// package is an argument: up to 5.3.0 a refresh makes the key of a lost lock anew, and nobody is told
// (https://github.com/swarthy/redis-semaphore/issues/175).
import Redis from "ioredis";

const { Mutex } = await import(process.argv[2]);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const servers = new Redis({ host: "127.0.0.1" });
const resource = new Redis({ host: "127.0.0.1", port: 7000, enableReadyCheck: false });

for (let i = 0; i < 2; i++) {
  let lost = false;
  const onLockLost = () => { lost = true; };
  const times = { lockTimeout: 5000, acquireTimeout: 60000, retryInterval: 200 };
  const mutex = new Mutex(servers, "order-42", { ...times, onLockLost });
  await mutex.acquire();
  const [, version] = await resource.call("READ", "orders");
  for (let step = 0; step < 3 && !lost; step++) await sleep(1500);
  if (!lost) await resource.call("WRITE", "orders", "paid", "BASED-ON", version);
  await mutex.release();
}
process.exit();
