// Medusa's lock in Redis. A client that waits in vain for ten seconds tries again. The package is an argument: up to
// 2.20.1 all holders have the same token, so that a holder whose lease has expired releases the lock of the next one
// (https://github.com/medusajs/medusa/pull/16768).
import Redis from "ioredis";

const { RedisLockingProvider } = (await import(`${process.argv[2]}/dist/services/redis-lock.js`)).default;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const locks = new RedisLockingProvider({ redisClient: new Redis({ host: "127.0.0.1" }) }, {});
const resource = new Redis({ host: "127.0.0.1", port: 7000, enableReadyCheck: false });

async function pay() {
  const [, version] = await resource.call("READ", "orders");
  await sleep(4000);
  await resource.call("WRITE", "orders", "paid", "BASED-ON", version);
}

for (let done = 0; done < 2;) {
  try {
    await locks.execute("order-42", pay, { timeout: 10, expire: 10 });
    done++;
  } catch (error) {
    if (error.type !== "conflict") throw error;
  }
}
process.exit();
