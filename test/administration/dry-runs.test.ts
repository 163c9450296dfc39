/** Dry runs of removals: they count what would be removed, and remove nothing. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ADMIN_OPERATIONS } from '../../src/administration/operations/operations.ts';
import { grantAll, newAccount } from '../contract/calendar-rows.ts';
import { onSqlite } from '../harness/databases.ts';
import { ENVIRONMENT_KEY, NOW, openAdministrationApp, USER } from './administration-app.ts';

const key = ENVIRONMENT_KEY;
const ROWS = ADMIN_OPERATIONS.filter(({ counted }) => counted !== undefined);

onSqlite((open) => {
  it('a dry run counts the same twice, then the removal finds the object', async () => {
    const { app, db, stores, send, createKey, addMember } = await openAdministrationApp(await open());
    const creator = await createKey('owner');
    const createdBy = ({ key: { keyId: id, name } }: typeof creator) =>
      ({ kind: 'admin_key', id, name }) as const;
    const child = await createKey('owner', {}, createdBy(creator));
    await createKey('viewer', {}, createdBy(child));
    const member = await addMember();
    const account = newAccount({ clientId: 'acme', userId: USER, accountId: 'ada@example.com' });
    const { accountKey } = await stores.accounts.linkAccount(account, NOW);
    await grantAll(db, { clientId: 'acme', userId: USER });
    const appBody = { app_client_id: 'app', client_secret: 'canary' };
    await send('post', '/applications/acme/provider-apps/google', { key, body: appBody });
    const ids: Readonly<Record<string, string>> = {
      ...{ client_id: 'acme', user_id: USER, account_key: accountKey, scheme: 'light', provider: 'google' },
      ...{ key_id: creator.key.keyId, person_id: member, passkey_id: member },
    };
    // The end of a member's sessions also ends their reset link.
    const invited = await send('post', '/invitations', { key, body: { role: 'viewer' } });
    assert.equal(invited.status, 201);
    const links = await stores.people.listInvitations(NOW);
    const link = links.find(({ purpose }) => purpose === 'invite');
    const counts: Record<string, unknown> = {};
    for (const { id, path, counted = '' } of ROWS) {
      const url = path.replace(/\{(\w+)\}/g, (_, name) =>
        encodeURIComponent(ids[name] ?? String(link?.invitationId)),
      );
      const first = await send('delete', `${url}?dry_run=true`, { key });
      const second = await send('delete', `${url}?dry_run=true`, { key });
      assert.deepEqual([first.status, second.document], [200, first.document], id);
      assert.deepEqual(Object.keys(first.document), [counted]);
      counts[counted] = first.document[counted];
      // The calendars of this account are not read yet, and the logo is not set.
      assert.equal((await send('delete', url, { key })).status, 200, id);
    }
    assert.deepEqual(counts, {
      ...{ calendars: 0, logos: 0, provider_apps: 1, sessions: 1, passkeys: 1, identities: 1 },
      ...{ invitations: 1, keys: 2 },
    });
    await app.close();
  });

  it('a dry run of an object that does not exist is 404', async () => {
    const { app, send, addMember } = await openAdministrationApp(await open());
    const member = await addMember();
    for (const path of ['/keys/none', '/invitations/none', `/members/${member}/passkeys/none`])
      assert.equal((await send('delete', `${path}?dry_run=true`, { key })).status, 404, path);
    await app.close();
  });
});
