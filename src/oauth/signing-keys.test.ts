import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { recordingLog } from '../../test/servers/recording-log.ts';
import { createSealer, sealedField } from '../lib/sealing.ts';
import type { SigningAlgorithm, SigningKeyRecord, SigningKeyStore } from './signing-key-store.ts';
import { openSigningKeys, rotateSigningKeys } from './signing-keys.ts';

const sealer = createSealer(randomBytes(32));
const contextOf = sealedField('signing_key.sealed');

/** Returns a store in memory, which counts how often the keys are read. */
function memoryStore() {
  const records: SigningKeyRecord[] = [];
  const state = { reads: 0, additions: 0, failure: undefined as Error | undefined };
  const find = (algorithm: SigningAlgorithm, status: SigningKeyRecord['status']) =>
    records.findIndex((record) => record.algorithm === algorithm && record.status === status);
  const store: SigningKeyStore = {
    async listSigningKeys() {
      state.reads += 1;
      if (state.failure !== undefined) throw state.failure;
      return [...records];
    },
    async addSigningKey(key) {
      state.additions += 1;
      if (find(key.algorithm, key.status) < 0) records.push(key);
    },
    async rotateSigningKeys(fresh) {
      for (const [from, to] of [
        ['active', 'previous'],
        ['next', 'active'],
      ] as const) {
        const at = find(fresh.algorithm, from);
        const record = records[at];
        if (record !== undefined) records[at] = { ...record, status: to };
      }
      records.push(fresh);
    },
  };
  return { store, records, state };
}

async function openKeys(algorithm: SigningAlgorithm = 'HS256', memory = memoryStore()) {
  const clock = { now: Date.UTC(2026, 10, 1) };
  const { log, entries } = recordingLog();
  const deps = { keys: memory.store, sealer, now: () => clock.now, log };
  const keys = await openSigningKeys(algorithm, deps);
  const rotate = () => rotateSigningKeys(algorithm, { ...deps, by: undefined });
  return { keys, rotate, clock, entries, ...memory };
}
/** Waits until a reload that no caller waits for is done. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the signing keys', () => {
  it('are an active and a next one of the algorithm at first', async () => {
    const { records, clock } = await openKeys();

    const facts = records.map(({ algorithm, status, createdAt }) => [algorithm, status, createdAt]);
    assert.deepEqual(facts, [
      ['HS256', 'active', clock.now],
      ['HS256', 'next', clock.now],
    ]);
    for (const { kid, sealed } of records)
      assert.equal(Buffer.from(sealer.open(sealed, contextOf(kid)), 'base64url').length, 32);
  });

  it('are read again for a signature from more than 30 seconds after they were read', async () => {
    const { keys, state, clock } = await openKeys();

    clock.now += 30_000;
    keys.signing('at+jwt');
    await settled();
    assert.equal(state.reads, 1);
    clock.now += 1;
    keys.signing('at+jwt');
    keys.signing('at+jwt');
    await settled();
    assert.equal(state.reads, 2);
  });

  it('sign on with those that were read if they cannot be read again, which is logged', async () => {
    const { keys, state, clock, entries } = await openKeys();
    const { key } = keys.signing('at+jwt');
    state.failure = new Error('no database');

    clock.now += 30_001;
    assert.equal(keys.signing('at+jwt').key, key);
    await settled();
    assert.deepEqual(
      entries.map(({ level, fields }) => [level, 'event' in fields && fields.event]),
      [['error', 'signing_keys_not_loaded']],
    );
    state.failure = undefined;
    keys.signing('at+jwt');
    await settled();
    assert.equal(state.reads, 3);
  });

  it('find the key of each header, and read again once for one that Kalends can have issued', async () => {
    const memory = memoryStore();
    const { keys, state } = await openKeys('HS256', memory);
    const other = await openKeys('ES256', memory);
    const reads = () => state.reads;
    const before = reads();
    const types = ['at+jwt', 'rt+jwt', 'app+jwt'] as const;

    for (const type of types) {
      const { header, key } = other.keys.signing(type);
      const tokenKey = await keys.find(header);
      assert.deepEqual([tokenKey?.type, tokenKey?.key.kid], [type, key.kid]);
    }
    assert.equal(reads(), before + 1);
    const header = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url');
    const unknown = header({ alg: 'HS256', typ: 'at+jwt', kid: 'A'.repeat(12) });
    for (let i = 0; i < 3; i += 1) assert.equal(await keys.find(unknown), undefined);
    assert.equal(reads(), before + 2);
    for (const strange of [
      '',
      'x',
      header({ alg: 'none', typ: 'at+jwt', kid: 'A'.repeat(12) }),
      'A'.repeat(201),
    ])
      assert.equal(await keys.find(strange), undefined);
    assert.equal(reads(), before + 2);
  });

  it('are searched again for an unknown header after 10,000 others', async () => {
    const { keys, state } = await openKeys();
    const find = async (number: number) => {
      const kid = String(number).padStart(12, '0');
      const before = state.reads;
      await keys.find(
        Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid })).toString('base64url'),
      );
      return state.reads - before;
    };
    for (let number = 0; number < 10_000; number += 1) await find(number);

    assert.equal(await find(0), 0);
    assert.equal(await find(10_000), 1);
    assert.deepEqual([await find(10_000), await find(0)], [0, 1]);
  });

  it('of another algorithm are created when it is prepared, once', async () => {
    const { keys, records, state } = await openKeys();
    assert.throws(() => keys.signing('at+jwt', 'ES256'), /no active ES256 signing key/);
    assert.deepEqual(await keys.publicKeys('ES256'), { keys: [] });

    await keys.prepare('ES256');
    const { reads } = state;
    await keys.prepare('ES256');

    assert.equal(state.reads, reads);
    assert.equal(keys.signing('at+jwt', 'ES256').key.algorithm, 'ES256');
    assert.deepEqual(
      records.map(({ algorithm, status }) => `${algorithm} ${status}`),
      ['HS256 active', 'HS256 next', 'ES256 active', 'ES256 next'],
    );
  });

  it('of another algorithm that another instance created are read, not created', async () => {
    const memory = memoryStore();
    const { keys, state } = await openKeys('HS256', memory);
    await openKeys('ES256', memory);
    const before = state.additions;

    await keys.prepare('ES256');

    assert.equal(state.additions, before);
    assert.equal(keys.signing('at+jwt', 'ES256').key.algorithm, 'ES256');
  });

  it('are published without secrets, and again within 30 seconds of a rotation', async () => {
    const { keys, rotate, clock } = await openKeys('ES256');
    const published = await keys.publicKeys();
    assert.equal(published.keys.length, 2);
    for (const jwk of published.keys)
      assert.deepEqual(Object.keys(jwk).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    assert.deepEqual(await keys.publicKeys('HS256'), { keys: [] });

    const kid = await rotate();
    clock.now += 30_001;
    await keys.publicKeys();
    await settled();

    assert.equal((await keys.publicKeys()).keys.length, 3);
    assert.equal(keys.signing('at+jwt').key.kid, kid);
  });

  it('of the strict issuer are rotated too if there are such', async () => {
    const alone = await openKeys();
    await alone.rotate();
    const both = await openKeys();
    await both.keys.prepare('ES256');
    await both.rotate();
    const strict = await openKeys('ES256');
    await strict.rotate();
    const statuses = ({ records }: typeof alone) =>
      records.map(({ algorithm, status }) => `${algorithm} ${status}`).sort();

    const HS256 = ['HS256 active', 'HS256 next', 'HS256 previous'];
    const ES256 = ['ES256 active', 'ES256 next', 'ES256 previous'];
    assert.deepEqual(statuses(alone), HS256);
    assert.deepEqual(statuses(both), [...ES256, ...HS256]);
    assert.deepEqual(statuses(strict), ES256);
  });
});
