/** Service records of a domain, RFC 6764 §4: SRV names the host, TXT the path. */
import { Resolver } from 'node:dns/promises';

export type ServiceDns = Pick<Resolver, 'resolveSrv' | 'resolveTxt'>;

/** Short, since most domains have no such records and the user waits. */
export const systemDns = (): ServiceDns => new Resolver({ timeout: 2000, tries: 2 });

/** Returns the addresses of `_caldavs._tcp`, best first; empty if there is no record or no response. */
export async function serviceAddresses(domain: string, dns: ServiceDns): Promise<URL[]> {
  const name = `_caldavs._tcp.${domain}`;
  const records = await dns.resolveSrv(name).catch(none);
  if (records.length === 0) return [];
  const texts = await dns.resolveTxt(name).catch(none);
  const path = texts.map((parts) => parts.join('')).find((text) => text.startsWith('path=/'));
  return records
    .filter((record) => record.name !== '' && record.name !== '.')
    .sort((one, other) => one.priority - other.priority || other.weight - one.weight)
    .flatMap((record) => URL.parse(path?.slice(5) ?? '/', `https://${record.name}:${record.port}`) ?? []);
}

/** Discovery continues without records, whatever the reason. */
const none = (): never[] => [];
