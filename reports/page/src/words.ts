// Names of the document in plain words. A name that is not listed is shown as it is.

const PROPERTIES: Record<string, string> = {
  unsafe: 'the resource accepted a stale write, or the operations of two holders were mixed',
  'mutual-exclusion': 'two clients never believe at the same time that they hold the lock',
  'resource-exclusion':
      'the resource accepts no operation of one holder between two operations of another',
  'no-stale-write': 'no write of an earlier holder is accepted after an operation of a later one',
  'no-lost-update': 'no write based on an old version replaces the update of another holder',
  'no-holder-refused': 'the resource rejects no request of the valid holder',
  'own-release': 'no client removes or alters the lock entry of another client',
  'balanced-holds': 'a lock that its holder has taken several times is free after as many releases',
  'loss-noticed': 'a client that loses the lock learns of it, or stops by its deadline',
  'not-stuck': 'after the faults have ended, waiters get the lock within its bound',
  'no-deadlock': 'waiters and holders never wait for each other in a cycle',
  'no-lost-wakeup': 'no waiter sleeps beyond its bound while the lock is free',
  'bounded-wakeups': 'a release wakes no more waiters than the lock allows',
  'fair-order': 'a waiter is overtaken no more often than the lock allows',
  available: 'no acquire is refused while the lock is free and its servers are up',
  progress: 'some client gets the lock, and none waits to the end for a lock that nobody holds',
};

export function propertyMeaning(property: string): string {
  return PROPERTIES[property] ?? property;
}

export function propertyName(property: string): string {
  return property === 'unsafe' ? 'unsafe at the resource' : property;
}

const SERVERS: Record<string, string> = {
  redis: 'Redis',
  zookeeper: 'ZooKeeper',
  mysql: 'MySQL',
  lease_store: 'lease store',
};

export function serverName(server: string): string {
  return SERVERS[server] ?? server;
}

export function fencingPhrase(fencing: string): string {
  return fencing === 'none' ? 'without fencing' : 'with ideal fencing';
}
