/** A DNS server of the test's own (RFC 1035): it answers A and AAAA as told, in turn where told so. */
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

import type { HostLookup } from '../../src/lib/egress/shared-lookup.ts';

/** For each name, its addresses; several lists are the answers of successive lookups, the last one stays. */
export type Zone = Readonly<Record<string, readonly (readonly string[])[]>>;

export type DnsServer = { readonly lookup: HostLookup; queries(name: string): number; stop(): Promise<void> };

const A = 1;
const AAAA = 28;

export async function startDns(zone: Zone): Promise<DnsServer> {
  const questions = new Map<string, number>();
  const socket = createSocket('udp4', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const count = questions.get(`${name} ${type}`) ?? 0;
    questions.set(`${name} ${type}`, count + 1);
    const turns = zone[name] ?? [];
    const addresses = turns[Math.min(count, turns.length - 1)];
    socket.send(answerOf(query.subarray(0, end), type, addresses), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const resolver = new Resolver({ timeout: 60_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);

  const lookup: HostLookup = async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  return {
    lookup,
    queries: (name) => questions.get(`${name} ${A}`) ?? 0,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerOf(question: Buffer, type: number, addresses: readonly string[] | undefined): Buffer {
  const matching = (addresses ?? []).filter((address) => isIP(address) === (type === A ? 4 : 6));
  const records = type === A || type === AAAA ? matching.map((address) => recordOf(type, address)) : [];
  const header = Buffer.from(question.subarray(0, 12));
  // An answer, authoritative, recursion as asked; NXDOMAIN for names outside of the zone.
  header.writeUInt16BE(0x8580 | (addresses === undefined ? 3 : 0), 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question.subarray(12), ...records]);
}

function recordOf(type: number, address: string): Buffer {
  const data = type === A ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // The question's name.
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(0, 6); // Never to be cached.
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** The host of a URL is normalised: groups in hex, `::` once. */
function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (text = '') => (text === '' ? [] : text.split(':'));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
