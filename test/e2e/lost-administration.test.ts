/** A proxy that cuts half of the responses stands before the administration API: each creation and rotation happens once. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { runHere } from '../harness/command-here.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';
import { backendsEnded } from '../harness/ended-backends.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { type CuttingProxy, startCuttingProxy } from '../servers/cutting-proxy.ts';

const KEY = 'environment-key-of-32-characters-or-more';

onEachDatabase((database, _open, place) => {
  describe(`the administration API behind a proxy that cuts responses, on ${database}`, () => {
    let program: Program;
    let proxy: CuttingProxy;
    let databaseUrl: string | undefined;
    /** Decides about each response. */
    let isCut: () => boolean | Promise<boolean>;
    let responses = 0;

    before(async () => {
      ({ databaseUrl } = await place());
      program = await startProgram({ databaseUrl, env: { KALENDS_ADMIN_KEY: KEY } });
      proxy = await startCuttingProxy(program.url, () => isCut());
    });
    after(async () => {
      await proxy?.stop();
      await program?.dispose();
    });

    const post = async (origin: string, path: string, { body, key }: { body: object; key: string }) => {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
      const init = { method: 'POST', headers: { ...headers, 'idempotency-key': key } };
      const response = await fetch(`${origin}/admin/v1${path}`, { ...init, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    };
    /** Sends a POST until there is a response. */
    async function insist(path: string, body: object) {
      const key = randomUUID();
      for (let i = 0; i < 50; i++) {
        const response = await post(proxy.url, path, { body, key }).catch(() => undefined);
        if (response !== undefined) return response;
      }
      return assert.fail('Fifty responses were cut');
    }
    const count = async (action: string) =>
      (await program.command('audit', 'list', '--action', action, '--limit', '200')).entries as unknown[];
    const named = (name: string) => ({ name, redirect_uri: 'https://app.example/cb' });
    const cutHalf = () => ++responses % 2 === 1;

    it('creations and rotations have one effect for each key, and their secrets work', async () => {
      isCut = () => Math.random() < 0.5;
      const created = await Promise.all(
        Array.from({ length: 20 }, (_, i) => insist('/applications', named(`Application ${i}`))),
      );
      const rotated = await Promise.all(
        created.map(({ body }) => insist(`/applications/${body.client_id}/secrets/rotate`, {})),
      );
      const invited = await Promise.all(
        created.map((_, i) => insist('/invitations', { role: 'owner', email: `ada${i}@example.com` })),
      );
      for (const { status } of [...created, ...invited]) assert.equal(status, 201);
      for (const [i, { status, body }] of rotated.entries()) {
        assert.equal(status, 200);
        const secret = `${body.client_id}:${body.client_secret}`;
        const headers = { authorization: `Basic ${btoa(secret)}` };
        const response = await fetch(`${program.url}/users/none`, { headers });
        assert.equal(response.status, 404, `secret ${i}: ${await response.text()}`);
      }
      assert.equal((await count('client.created')).length, 20);
      assert.equal((await count('client.secret_rotated')).length, 20);
      assert.equal((await count('person.invited')).length, 20);
    });

    it('a command with --server acts once and prints the secret, although its first response is cut', async () => {
      isCut = cutHalf;
      responses = 0;
      const at = { env: { KALENDS_SERVER: proxy.url, KALENDS_ADMIN_KEY: KEY } };
      const { clientId } = await program.createClient();
      const created = await runHere(
        ['admin', 'key', 'create', '--name', 'CI', '--role', 'owner', '--json'],
        at,
      );
      assert.equal(created.exitCode, 0, created.stderr);
      const { key_id: keyId } = JSON.parse(created.stdout);
      const before = (await count('client.secret_rotated')).length;
      const rotated = await runHere(['client', 'rotate-secret', clientId], at);
      assert.match(rotated.stdout, /kalends_[\w-]{43}/);
      assert.equal((await runHere(['admin', 'key', 'rotate', keyId], at)).exitCode, 0);

      assert.equal(responses, 6);
      assert.equal((await count('admin_key.created')).length, 1);
      assert.equal((await count('admin_key.rotated')).length, 1);
      assert.equal((await count('client.secret_rotated')).length, before + 1);
    });

    it('after a kill -9 while creations run, a repetition of each gets its response or is refused, and none acts twice', async () => {
      const names = Array.from({ length: 12 }, (_, i) => `Killed ${i}`);
      const bodies = names.map((name) => ({ body: named(name), key: name }));
      isCut = async () => {
        await program.kill();
        return true;
      };
      await Promise.allSettled(bodies.map((one) => post(proxy.url, '/applications', one)));
      await backendsEnded(databaseUrl);
      const db = connect({ databaseUrl, dataDir: program.dataDir });
      // As if the minutes had passed after which the requests may run again.
      await db.change('UPDATE admin_request SET lease_until = 0');
      await db.close();
      await program.start();

      const repeated = await Promise.all(bodies.map((one) => post(program.url, '/applications', one)));

      for (const { status, body } of repeated)
        if (status !== 201) assert.deepEqual([status, body.code], [409, 'response_lost']);
      const { clients } = await program.command('client', 'list');
      const stored = (clients as { name: string }[]).map(({ name }) => name);
      assert.deepEqual(stored.filter((name) => name.startsWith('Killed')).toSorted(), names.toSorted());
    });
  });
});
