/** The profile of an application, its check and the effects of switches on the command line. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { openSqlite } from '../../src/store/drivers/sqlite-driver.ts';
import { makeFamily } from '../contract/grant-rows.ts';
import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

describe('the profile of an application on the command line', () => {
  let cli: CommandLine;
  beforeEach(async () => {
    cli = await openCommandLine();
  });
  afterEach(() => cli.close());

  const created = async (...options: string[]) =>
    String((await cli.json(...CREATE, ...options)).document.client_id);
  const onDatabase = async (work: (db: ReturnType<typeof openSqlite>) => Promise<unknown>) => {
    const db = openSqlite(`${cli.dataDir}/kalends.db`);
    await work(db);
    await db.close();
  };
  const addKeys = (clientId: string) =>
    onDatabase((db) =>
      db.write(`INSERT INTO client_jwks (client_id, jwks) VALUES (:clientId, '{"keys":[]}')`, { clientId }),
    );
  const update = (id: string, ...options: string[]) => cli.run(['client', 'update', id, ...options]);

  it('fapi2 or private_key_jwt without keys is wrong usage and says what is missing', async () => {
    const id = await created();

    for (const args of [
      ['client', 'update', id, '--profile', 'fapi2'],
      [...CREATE, '--profile', 'fapi2'],
      ['client', 'update', id, '--client-authentication', 'private_key_jwt'],
    ]) {
      const { exitCode, stdout, stderr } = await cli.run(args);
      assert.deepEqual([exitCode, stdout], [2, '']);
      assert.match(stderr, /requires a public key: register one with jwks or jwks_uri/);
    }
    assert.equal((await cli.json('client', 'show', id)).document.profile, 'default');
  });

  it('--profile fapi2 ends the secrets, and --profile default prints a new one once', async () => {
    const id = await created();
    await addKeys(id);

    const strict = await update(id, '--profile', 'fapi2');
    assert.equal(strict.exitCode, 0);
    assert.match(strict.stdout, /^profile +fapi2$/m);
    assert.match(strict.stdout, /^valid secrets +0$/m);
    const back = await update(id, '--profile', 'default');
    assert.match(back.stdout, /^client secret +kalends_\w{43}$/m);
    assert.match(back.stdout, /Save the client secret now: it is not shown again\./);
    assert.doesNotMatch((await update(id, '--profile', 'default')).stdout, /client secret +kal/);
  });

  it('client create --profile fapi2 --jwks FILE creates an application without a secret', async () => {
    const file = `${cli.dataDir}/keys.json`;
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await writeFile(file, JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));

    const { exitCode, document } = await cli.json(...CREATE, '--profile', 'fapi2', '--jwks', file);
    assert.deepEqual([exitCode, document.profile, document.client_secret], [0, 'fapi2', undefined]);
    assert.equal((await cli.run(['client', 'check', String(document.client_id)])).exitCode, 0);

    const later = await created();
    assert.equal((await update(later, '--profile', 'fapi2', '--jwks', file)).exitCode, 0);
  });

  it('--jwks "" removes the keys, unless the application authenticates by them', async () => {
    const id = await created();
    await addKeys(id);
    await update(id, '--profile', 'fapi2');

    const { exitCode, stderr } = await update(id, '--jwks', '');
    assert.equal(exitCode, 2);
    assert.match(stderr, /profile "fapi2" requires a public key/);
    assert.equal((await update(id, '--profile', 'default', '--jwks', '')).exitCode, 0);

    assert.equal((await cli.json('client', 'show', id)).document.jwks, null);
  });

  it('--json has the new secret', async () => {
    const id = await created();
    await addKeys(id);
    await update(id, '--profile', 'fapi2');

    const { document } = await cli.json('client', 'update', id, '--profile', 'default');

    assert.match(String(document.client_secret), /^kalends_\w{43}$/);
    assert.equal(document.live_secrets, 1);
  });

  it('client check lists requirements as met or missing, and exits with 1 if one is missing', async () => {
    const id = await created('--pkce', 'required');

    const { exitCode, stdout } = await cli.run(['client', 'check', id, '--profile', 'fapi2']);
    assert.equal(exitCode, 1);
    assert.match(stdout, /^met +pkce "required"$/m);
    assert.match(
      stdout,
      /^missing +a public key is registered: register a JWKS with client update --jwks FILE/m,
    );
    assert.match(stdout, /^missing +code_lifetime of at most 60 seconds: code lifetime is 600 s/m);
    assert.equal((await cli.run(['client', 'check', id])).exitCode, 0);

    await addKeys(id);
    await update(id, '--profile', 'fapi2');
    const strict = await cli.run(['client', 'check', id]);
    assert.equal(strict.exitCode, 0);
    assert.match(strict.stdout, /Nothing is missing for the profile fapi2 of My app/);
  });

  it('client check of an unknown application or profile fails', async () => {
    assert.equal((await cli.run(['client', 'check', 'nobody'])).exitCode, 1);
    assert.equal((await cli.run(['client', 'check', await created(), '--profile', 'x'])).exitCode, 2);
  });

  it('doctor fails for fapi2 without keys', async () => {
    const id = await created();
    await addKeys(id);
    await update(id, '--profile', 'fapi2');
    assert.match((await cli.run(['doctor'])).stdout, /^ok +fapi2 +Applications with the profile fapi2: 1/m);

    await onDatabase((db) => db.write('DELETE FROM client_jwks'));

    const { exitCode, stdout } = await cli.run(['doctor']);
    assert.equal(exitCode, 1);
    assert.match(stdout, new RegExp(`^fail +fapi2 +${id}: `, 'm'));
  });

  it('client update prints the effects and the number of living grants, also if it is refused', async () => {
    const id = await created();
    await onDatabase((db) => makeFamily(db, { clientId: id, userId: 'ada' }));

    const saved = await update(id, '--sender-constraint', 'required');
    const refused = await update(id, '--sender-constraint', 'off', '--refresh-rotation', 'never');

    assert.match(
      saved.stderr,
      /^This application has 1 active grant\(s\)\.\nSender constraint: .*unbound access tokens/,
    );
    assert.deepEqual([saved.exitCode, refused.exitCode], [0, 2]);
    assert.match(
      refused.stderr,
      /^This application has 1 active grant.*Refresh token rotation: .*refresh_rotation/s,
    );
  });

  it('client update prints no effect of a value that stays, with --json, or for one redirect URI', async () => {
    const id = await created('--code-lifetime', '60');
    const results = [
      await update(id, '--code-lifetime', '60'),
      await update(id, '--redirect-uri', 'https://app.example/2'),
      await update(id, '--sender-constraint', 'required', '--json'),
    ];
    assert.deepEqual(
      results.map(({ stderr }) => stderr),
      ['', '', ''],
    );
  });

  it('client update says what a second redirect URI changes', async () => {
    const id = await created();

    const { stderr } = await update(id, '--add-redirect-uri', 'https://app.example/2');

    assert.match(stderr, /With several redirect URIs, a requested redirect_uri must be registered/);
  });
});
