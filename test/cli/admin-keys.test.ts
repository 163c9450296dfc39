import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

const DAY = 86_400_000;

describe('kalends admin key', () => {
  let cli: CommandLine;
  beforeEach(async () => {
    cli = await openCommandLine();
  });
  afterEach(() => cli.close());

  const createAs = (role: string, ...options: string[]) =>
    cli.json('admin', 'key', 'create', '--name', 'Deployment', '--role', role, ...options);
  const create = (...options: string[]) => createAs('owner', ...options);
  const keys = async () =>
    (await cli.json('admin', 'key', 'list')).document.keys as Record<string, unknown>[];

  it('prints a new key once, and lists it without its text', async () => {
    const { key, ...created } = (await create()).document;
    assert.match(String(key), /^kal_adm_[\w-]{43}$/);
    assert.equal(created.prefix, String(key).slice(0, 12));
    assert.deepEqual(await keys(), [created]);
    const { stdout } = await cli.run(['admin', 'key', 'list']);
    assert.ok(!stdout.includes(String(key)) && stdout.includes('Deployment'), stdout);
  });

  it('gives a key a year, the given time, or no end', async () => {
    const lifetime = async (...options: string[]) => {
      const { created_at: from, expires_at: to } = (await create(...options)).document;
      return to === null ? null : Date.parse(String(to)) - Date.parse(String(from));
    };
    assert.equal(await lifetime(), 365 * DAY);
    assert.equal(await lifetime('--expires', '12h'), DAY / 2);
    assert.equal(await lifetime('--expires', 'never'), null);
    for (const wrong of ['0', 'soon']) assert.equal((await create('--expires', wrong)).exitCode, 2);
  });

  it('limits a developer key to existing applications', async () => {
    const { client_id: clientId } = (await cli.json(...CREATE)).document;
    const { document } = await createAs('developer', '--client', String(clientId));
    assert.deepEqual(document.client_ids, [clientId]);
    assert.equal((await createAs('developer', '--client', 'unknown')).exitCode, 2);
    assert.equal((await createAs('developer')).exitCode, 2);
  });

  it('rotates and revokes a key', async () => {
    const { key_id: id, key } = (await create()).document;
    const rotated = (await cli.json('admin', 'key', 'rotate', String(id), '--overlap', '1h')).document;
    assert.match(String(rotated.key), /^kal_adm_/);
    assert.notEqual(rotated.key, key);
    assert.equal((await cli.json('admin', 'key', 'revoke', String(id))).exitCode, 2);
    const revoked = await cli.json('admin', 'key', 'revoke', String(id), '--yes');
    assert.deepEqual(revoked.document, { revoked: true, key_id: id });
    assert.deepEqual(await keys(), []);
    assert.equal((await cli.json('admin', 'key', 'rotate', String(id))).document.error, 'not_found');
  });
});
