import { Mutex } from "redis-semaphore";

import { server, workTwice } from "./work.mjs";

const servers = server(6379);
const times = { lockTimeout: 10000, refreshInterval: 3000, acquireTimeout: 1e9, retryInterval: 100 };

async function acquire() {
  const mutex = new Mutex(servers, "order-42", { ...times, onLockLost: () => { mutex.lost = true; } });
  await mutex.acquire();
  return mutex;
}

workTwice(acquire, (mutex) => mutex.release());
