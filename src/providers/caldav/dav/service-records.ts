/** Service records of a domain, RFC 6764 §4: SRV names the host, TXT the path. */
import { Resolver } from 'node:dns/promises';

/** What discovery asks of the DNS. */
export type ServiceDns = Pick<Resolver, 'resolveSrv' | 'resolveTxt'>;

/** Two seconds, twice: a domain without these records is the rule, and the user waits. */
export const systemDns = (): ServiceDns => new Resolver({ timeout: 2000, tries: 2 });

/** The addresses `_caldavs._tcp` names, best first; none when there is no record or no answer. */
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

/** Discovery goes on without the records, whatever the reason they are not to be had. */
const none = (): never[] => [];
