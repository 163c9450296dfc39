/** The published client of the administration API, at the program as it is shipped. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { KalendsError, kalendsAdmin } from '../../packages/client/src/admin.ts';
import { ADMIN_OPERATIONS } from '../../src/administration/operations/operations.ts';
import { type Program, startProgram } from '../harness/program.ts';

const adminKey = 'environment-key-of-32-characters-or-more';

describe('the client of the administration API', () => {
  let program: Program;
  before(async () => {
    program = await startProgram({ env: { KALENDS_ADMIN_KEY: adminKey } });
  });
  after(() => program?.dispose());

  const admin = (options: Partial<Parameters<typeof kalendsAdmin>[0]> = {}) =>
    kalendsAdmin({ url: program.url, adminKey, ...options });
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail('It succeeded'),
      (reason: unknown) => (reason instanceof KalendsError ? reason : assert.fail(String(reason))),
    );
  const named = (name: string) => ({ name, redirect_uri: 'https://app.example/cb' });

  it('has a method for each operation', () => {
    const ids = ADMIN_OPERATIONS.map(({ id }) => id);
    assert.deepEqual(Object.keys(admin()).sort(), ids.sort());
  });

  it('creates, lists, changes and deletes', async () => {
    const { client_id, client_secret } = await admin().createApplication(named('Shop'));
    assert.match(client_secret ?? '', /^kalends_/);
    const { clients } = await admin().listApplications({ limit: 200 });
    assert.ok(clients.some((one) => one.client_id === client_id && one.name === 'Shop'));
    const { etag } = await admin().showApplication({ client_id });
    const changed = await admin().updateApplication({ client_id, name: 'Store' }, { ifMatch: etag });
    assert.equal(changed.name, 'Store');
    const late = await failure(admin().updateApplication({ client_id, name: 'Late' }, { ifMatch: etag }));
    assert.deepEqual([late.status, late.code], [412, 'changed_meanwhile']);
    assert.equal((await admin().deleteApplication({ client_id, dry_run: true })).deleted, false);
    assert.equal((await admin().deleteApplication({ client_id })).deleted, true);
  });

  it('has another result for a dry run', async () => {
    const { key_id } = await admin().createAdminKey({ name: 'Removed', role: 'viewer' });
    assert.equal((await admin().revokeAdminKey({ key_id, dry_run: true })).keys, 0);
    assert.equal((await admin().revokeAdminKey({ key_id })).revoked, true);
  });

  it('creates once although the first response is lost', async () => {
    let requests = 0;
    const losing: typeof fetch = async (...sent) => {
      const response = await fetch(...sent);
      requests += 1;
      if (requests === 1) throw new TypeError('fetch failed');
      return response;
    };
    const { client_id } = await admin({ fetch: losing }).createApplication(named('Once'));
    const { clients } = await admin().listApplications();
    assert.deepEqual([requests, clients.filter(({ name }) => name === 'Once').length], [2, 1]);
    assert.equal(clients.find(({ name }) => name === 'Once')?.client_id, client_id);
  });

  it('does not send an id that is a part of a path', async () => {
    for (const client_id of ['', '.', '..'])
      await assert.rejects(admin().showApplication({ client_id }), new TypeError('client_id must be an id'));
    assert.equal((await failure(admin().showApplication({ client_id: 'a/b' }))).code, 'not_there');
  });

  it('fails with the code of an error, which does not contain the key', async () => {
    const wrong = 'wrong-key-of-32-characters-or-more-x';
    const refused = await failure(admin({ adminKey: wrong }).listApplications());
    assert.deepEqual([refused.status, refused.code], [401, 'invalid_admin_key']);
    assert.ok(!JSON.stringify({ ...refused, message: refused.message }).includes(wrong));
  });
});
