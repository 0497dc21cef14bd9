// Names of the document in plain words. A name that is not listed is shown as it is.

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
