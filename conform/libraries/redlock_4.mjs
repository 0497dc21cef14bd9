import Redlock from "redlock-4.2.0";

import { server, workTwice } from "./work.mjs";

const times = { retryCount: -1, retryDelay: 100, retryJitter: 0 };
const redlock = new Redlock([6379, 6380, 6381].map(server), times);
workTwice(() => redlock.lock("order-42", 10000), (lock) => lock.unlock());
