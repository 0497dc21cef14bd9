// What a holder does with the resource, twice in all.
import Redis from "ioredis";

export const server = (port) => new Redis({ host: "127.0.0.1", port, enableReadyCheck: false });
const resource = server(7000);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export async function workTwice(acquire, release) {
  for (let i = 0; i < 2; i++) {
    if (i > 0) await sleep(500);
    const lock = await acquire();
    await resource.call("WRITE", "orders", "begun");
    await sleep(4000);
    if (!lock.lost) await resource.call("WRITE", "orders", "paid");
    await release(lock).catch(() => {}); // it has expired
  }
  process.exit();
}
