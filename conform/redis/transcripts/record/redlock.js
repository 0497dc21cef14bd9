// Runs node-redlock in the situations of its transcript. Called by record.py with the ports of three servers.
'use strict';

const redis = require('redis');
const Redlock = require('redlock');

const ports = process.argv.slice(2);
const TTL = 60000;
const PAUSE = 300;  // between attempts: time enough to steer in between

function ask(client, ...words) {
  return new Promise((resolve, reject) =>
    client.send_command(words[0], words.slice(1), (error, reply) => (error ? reject(error) : resolve(reply))));
}

function connect(port) {
  return new Promise((resolve) => {
    const client = redis.createClient({ port });
    client.on('ready', () => resolve(client));
  });
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Stage {
  constructor(clients, controls) {
    this.clients = clients;
    this.controls = controls;
  }

  async mark(text) {
    for (const control of this.controls) await ask(control, 'ECHO', text);
  }

  redlock(servers, options = {}) {
    const all = { retryCount: 0, retryDelay: PAUSE, retryJitter: 0, ...options };
    const redlock = new Redlock(this.clients.slice(0, servers), all);
    redlock.on('clientError', () => {});
    return redlock;
  }

  // Marks a call of the library, and its outcome.
  async call(verb, words, outcomes, run) {
    await this.mark(`begin ${verb}`);
    let value;
    let text;
    try {
      value = await run();
      text = `${outcomes[0]} | ${words}: ${describe(value)}`;
    } catch (error) {
      text = `${outcomes[1]} | ${words}: ${error.name}: ${error.message}`;
    }
    await this.mark(`end ${text}`);
    return value;
  }

  acquire(redlock, resource = 'lock', ttl = TTL) {
    return this.call('acquire', `lock(${JSON.stringify(resource)}, ${ttl})`, ['granted', 'refused'],
      () => redlock.lock(resource, ttl));
  }
  release(lock) {
    return this.call('release', 'unlock()', ['ok', 'not-held'], () => lock.unlock());
  }
  extend(lock, ttl = TTL / 2) {
    return this.call('extend', `extend(${ttl})`, ['ok', 'not-held'], () => lock.extend(ttl));
  }

  another(server, ...words) {
    return ask(this.controls[server], ...words);
  }

  // Returns once the server has got so many commands of this name in this situation.
  async await(server, command, count) {
    for (;;) {
      const stats = await ask(this.controls[server], 'INFO', 'commandstats');
      const found = stats.match(new RegExp(`cmdstat_${command}:calls=(\\d+)`));
      if (found && Number(found[1]) >= count) return;
      await sleep(5);
    }
  }
}

function describe(value) {
  if (value instanceof Redlock.Lock) return `a Lock of ${value.attempts} attempt${value.attempts > 1 ? 's' : ''}`;
  return String(value);
}

const situations = [
  ['a free lock is acquired and released', async (stage) => {
    const lock = await stage.acquire(stage.redlock(1));
    await stage.release(lock);
  }],
  ['once more: the servers know the scripts', async (stage) => {
    for (let i = 0; i < 2; ++i) {
      const lock = await stage.acquire(stage.redlock(1));
      await stage.release(lock);
    }
  }],
  ['refused while another holds it, then acquired', async (stage) => {
    await stage.another(0, 'SET', 'lock', 'another');
    const acquired = stage.acquire(stage.redlock(1, { retryCount: 9 }));
    await stage.await(0, 'evalsha', 4);  // two attempts
    await stage.another(0, 'DEL', 'lock');
    await stage.release(await acquired);
  }],
  ['refused for good', async (stage) => {
    await stage.another(0, 'SET', 'lock', 'another');
    await stage.acquire(stage.redlock(1, { retryCount: 2 }));
  }],
  ['extended', async (stage) => {
    const lock = await stage.acquire(stage.redlock(1));
    await stage.extend(lock);
    await stage.release(lock);
  }],
  ['extended after its lease', async (stage) => {
    const lock = await stage.acquire(stage.redlock(1), 'lock', 100);
    await sleep(150);
    await stage.extend(lock);
  }],
  ['extended after another has taken it', async (stage) => {
    const lock = await stage.acquire(stage.redlock(1));
    await stage.another(0, 'SET', 'lock', 'another');
    await stage.extend(lock);
  }],
  ['released after its lease', async (stage) => {
    const lock = await stage.acquire(stage.redlock(1), 'lock', 100);
    await sleep(150);
    await stage.release(lock);
  }],
  ['released after another has taken it', async (stage) => {
    const lock = await stage.acquire(stage.redlock(1));
    await stage.another(0, 'SET', 'lock', 'another');
    await stage.release(lock);
  }],
  ['released twice', async (stage) => {
    const lock = await stage.acquire(stage.redlock(1));
    await stage.release(lock);
    await stage.release(lock);
  }],
  ['a lease that is over when it is granted', async (stage) => {
    await stage.acquire(stage.redlock(1), 'lock', 2);  // all of it is taken off for drift
  }],
  ['two keys at once', async (stage) => {
    const lock = await stage.acquire(stage.redlock(1), ['lock-1', 'lock-2']);
    await stage.release(lock);
  }],
  ['two keys at once, and another holds one', async (stage) => {
    await stage.another(0, 'SET', 'lock-2', 'another');
    await stage.acquire(stage.redlock(1), ['lock-1', 'lock-2']);
  }],
  ['three servers: acquired, extended and released', async (stage) => {
    const lock = await stage.acquire(stage.redlock(3));
    await stage.extend(lock);
    await stage.release(lock);
  }],
  ['three servers: a majority grants', async (stage) => {
    await stage.another(1, 'SET', 'lock', 'another');
    const lock = await stage.acquire(stage.redlock(3));
    await stage.release(lock);
  }],
  ['three servers: a minority grants, for good', async (stage) => {
    await stage.another(1, 'SET', 'lock', 'another');
    await stage.another(2, 'SET', 'lock', 'another');
    await stage.acquire(stage.redlock(3, { retryCount: 1 }));
  }],
  ['three servers: a minority grants, then all', async (stage) => {
    await stage.another(1, 'SET', 'lock', 'another');
    await stage.another(2, 'SET', 'lock', 'another');
    const acquired = stage.acquire(stage.redlock(3, { retryCount: 9 }));
    for (const server of [1, 2]) await stage.await(server, 'evalsha', 4);
    for (const server of [1, 2]) await stage.another(server, 'DEL', 'lock');
    await stage.release(await acquired);
  }],
  ['three servers: released after a minority has lost it', async (stage) => {
    const lock = await stage.acquire(stage.redlock(3));
    await stage.another(1, 'DEL', 'lock');
    await stage.release(lock);
  }],
  ['three servers: released after a majority has lost it', async (stage) => {
    const lock = await stage.acquire(stage.redlock(3));
    await stage.another(1, 'DEL', 'lock');
    await stage.another(2, 'DEL', 'lock');
    await stage.release(lock);
  }],
  ['two servers: one does not grant', async (stage) => {
    await stage.another(1, 'SET', 'lock', 'another');
    await stage.acquire(stage.redlock(2, { retryCount: 1 }));
  }],
];

async function main() {
  const controls = await Promise.all(ports.map(connect));
  const clients = await Promise.all(ports.map(connect));
  const stage = new Stage(clients, controls);
  const version = (name) => require(`${name}/package.json`).version;
  await stage.mark(`library redlock ${version('redlock')} with redis ${version('redis')} (npm)`);
  const { lockScript, unlockScript, extendScript } = stage.redlock(1).scripts;
  await stage.mark(`script ${lockScript.hash} acquire n 2`);
  await stage.mark(`script ${unlockScript.hash} release n 1`);
  await stage.mark(`script ${extendScript.hash} extend n 2`);
  for (const [name, play] of situations) {
    for (const control of controls) {
      await ask(control, 'FLUSHALL');
      if (!name.startsWith('once more')) await ask(control, 'SCRIPT', 'FLUSH');
      await ask(control, 'CONFIG', 'RESETSTAT');
    }
    await stage.mark(`situation ${name}`);
    await play(stage);
  }
  await stage.mark('done');
  for (const client of [...controls, ...clients]) client.quit();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
