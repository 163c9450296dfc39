/**
 * The same 300 requests, valid but for one change, to oidc-provider in its FAPI 2.0 mode and to the strict issuer. Each
 * difference is a row of docs/conformance-fapi2.md.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it, mock } from 'node:test';
import { random } from '../providers/random-changes.ts';
import { type Endpoint, MUTATIONS } from './peer-mutations.ts';
import { newKeys, peerClient, registered } from './peer-requests.ts';
import { openKalends, openOidcProvider, type Peer } from './peer-servers.ts';

const COUNT = 300;
const SEED = 36;

type Selected = { readonly endpoint: Endpoint; readonly name: string };

/** Returns each mutation at one endpoint, then as many at others as there is room for: the same in each run. */
function selectRequests(): Selected[] {
  const draw = random(SEED);
  const endpoints = Object.keys(MUTATIONS) as Endpoint[]; // the keys of the table
  const all = endpoints
    .flatMap((endpoint) => Object.keys(MUTATIONS[endpoint]).map((name) => ({ endpoint, name })))
    .map((request) => ({ ...request, at: draw(2 ** 31) }))
    .toSorted((a, b) => a.at - b.at);
  const isFirst = ({ name }: Selected, i: number) => all.findIndex((request) => request.name === name) === i;
  return [...all.filter(isFirst), ...all.filter((one, i) => !isFirst(one, i))].slice(0, COUNT);
}

/** A change and the two answers to it. */
type Difference = { readonly name: string; readonly answers: string };

const show = ({ name, answers }: Difference) => `${name}: ${answers}`;

/** The change of the row for refused client authentication, which has many changes. */
const ANY = 'every other refused client authentication';

/** Reads the rows of the page, one for each change of a row. Each has a reason. */
function readRows(): Difference[] {
  const page = readFileSync(new URL('../../docs/conformance-fapi2.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## Compared with oidc-provider');
  return section.split('\n').flatMap((line) => {
    const [, names, theirs, ours] = /^\| (.+) \| `(.+)` \| `(.+)` \| .+ \|$/.exec(line) ?? [];
    return names?.split('; ').map((name) => ({ name, answers: `${theirs} → ${ours}` })) ?? [];
  });
}

describe('the strict issuer and oidc-provider', () => {
  const requests = selectRequests();
  const rows = readRows();
  const differences: Difference[] = [];
  const peers: Peer[] = [];
  before(async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 1) });
    const keys = newKeys();
    for (const open of [openOidcProvider, openKalends]) peers.push(await open(registered(keys)));
    const clients = await Promise.all(peers.map((peer) => peerClient(peer, keys)));
    for (const { endpoint, name } of requests) {
      const answers: string[] = [];
      for (const client of clients) answers.push(await client.answerOf(endpoint, name, random(SEED)));
      if (new Set(answers).size > 1) differences.push({ name, answers: answers.join(' → ') });
    }
  });
  after(async () => {
    mock.timers.reset();
    for (const peer of peers) await peer.close();
  });

  const isOf =
    ({ name, answers }: Difference) =>
    (row: Difference) =>
      row.answers === answers && (row.name === name || row.name === ANY);

  it(`answer ${COUNT} requests with the same status and error but for the rows of docs/conformance-fapi2.md`, () => {
    assert.equal(requests.length, COUNT);
    assert.deepEqual(differences.filter((one) => !rows.some(isOf(one))).map(show), []);
  });

  it('differ in each row of docs/conformance-fapi2.md', () => {
    assert.deepEqual(rows.filter((row) => !differences.some((one) => isOf(one)(row))).map(show), []);
  });
});
