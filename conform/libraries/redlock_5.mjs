import Redlock from "redlock";

import { server, workTwice } from "./work.mjs";

const times = { retryCount: 119, retryDelay: 200, retryJitter: 0 };
const redlock = new Redlock([6379, 6380, 6381].map(server), times);
workTwice(() => redlock.acquire(["order-42"], 10000), (lock) => lock.release());
