/** The operations on members, links and the keys that create them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toApiError } from '../../src/administration/operations/administration-error.ts';
import { ApiError } from '../../src/http/refusal.ts';
import { parseMailSender, parseMailServer } from '../../src/lib/mail/mail-server.ts';
import { smtpMailer } from '../../src/lib/mail/mailer.ts';
import { hashOfSecret } from '../../src/lib/sealing.ts';
import { PeopleRefusal } from '../../src/people/people-refusal.ts';
import { onEachDatabase, onSqlite } from '../harness/databases.ts';
import { startSmtpServer, withSmtpServer } from '../harness/smtp-server.ts';
import { ENVIRONMENT_KEY, NOW, openAdministrationApp } from './administration-app.ts';

const key = ENVIRONMENT_KEY;
const tokenIn = (document: Readonly<Record<string, unknown>>) => String(document.url).split('/').at(-1) ?? '';

onEachDatabase((database, open) => {
  const opened = async () => openAdministrationApp(await open());

  describe(`links and keys of keys on ${database}`, () => {
    it('a link works only while the key that created it is valid', async () => {
      const { app, createKey, send, stores, clock } = await opened();
      const [one, two] = [await createKey('owner'), await createKey('owner')];
      const invite = async (secret: string) =>
        hashOfSecret(
          tokenIn((await send('post', '/invitations', { key: secret, body: { role: 'owner' } })).document),
        );
      const [revoked, expired] = [await invite(one.secret), await invite(two.secret)];
      const isOpen = async (token: string) =>
        (await stores.people.findInvitation(token, clock.now)) !== undefined;
      assert.deepEqual([await isOpen(revoked), await isOpen(expired)], [true, true]);

      await send('delete', `/keys/${one.key.keyId}`, { key });
      assert.deepEqual([await isOpen(revoked), await isOpen(expired)], [false, true]);
      clock.now += 3_600_000;
      assert.equal(await isOpen(expired), false);
      await app.close();
    });

    it('an invitation of a revoked key registers no owner, and is not listed', async () => {
      const { app, createKey, send, stores, by } = await opened();
      const { key: created, secret } = await createKey('owner');
      const { document } = await send('post', '/invitations', { key: secret, body: { role: 'owner' } });
      const token = hashOfSecret(tokenIn(document));
      const [listed] = await stores.people.listInvitations(NOW);
      assert.equal(listed?.creator, 'A owner');
      await send('delete', `/keys/${created.keyId}`, { key });

      const person = { personId: 'eve', name: 'Eve', login: 'eve@example.com', password: 'a hash' };
      assert.equal(await stores.people.acceptInvitation(token, person, { now: NOW, by }), 'link_ended');
      assert.deepEqual(await stores.people.listInvitations(NOW), []);
      await app.close();
    });

    it('a removed member’s keys end with them, or have the caller as creator', async () => {
      const { app, addMember, createKey, send } = await opened();
      await addMember();
      const keyOf = async (id: string) => createKey('owner', {}, { kind: 'person', id, name: 'Name' });
      const status = async (secret: string) => (await send('get', '/members', { key: secret })).status;
      const [ada, ben] = [await addMember(), await addMember()];
      const [ended, kept] = [await keyOf(ada), await keyOf(ben)];
      const caller = await createKey('owner');

      assert.equal((await send('delete', `/members/${ada}`, { key: caller.secret })).status, 200);
      const path = `/members/${ben}?keep_keys=true`;
      assert.equal((await send('delete', path, { key: caller.secret })).status, 200);
      assert.deepEqual([await status(ended.secret), await status(kept.secret)], [401, 200]);

      await send('delete', `/keys/${caller.key.keyId}`, { key });
      assert.equal(await status(kept.secret), 401);
      await app.close();
    });

    it('a key cannot keep itself or the keys before it when it removes the member who created them', async () => {
      const { app, addMember, createKey, send } = await opened();
      await addMember();
      const ada = await addMember();
      const first = await createKey('owner', {}, { kind: 'person', id: ada, name: 'Ada' });
      const actor = { kind: 'admin_key', id: first.key.keyId, name: 'First' } as const;
      const second = await createKey('owner', {}, actor);
      for (const { secret } of [first, second]) {
        const refused = await send('delete', `/members/${ada}?keep_keys=true`, { key: secret });
        assert.deepEqual([refused.status, refused.document.code], [409, 'own_creator']);
      }
      assert.equal((await send('delete', `/members/${ada}`, { key: second.secret })).status, 200);
      for (const { secret } of [first, second])
        assert.equal((await send('get', '/members', { key: secret })).status, 401);
      await app.close();
    });
  });
});

onSqlite((open) => {
  const opened = async () => openAdministrationApp(await open());

  it('a developer’s key creates no member, link or key, and reads none', async () => {
    const { app, addMember, createKey, send } = await opened();
    const { secret } = await createKey('developer');
    const member = `/members/${await addMember()}`;
    const bodies = { '/invitations': { role: 'owner' }, '/keys': { name: 'K', role: 'viewer' } };
    for (const [path, body] of Object.entries({ ...bodies, [`${member}/reset-links`]: {} }))
      assert.equal((await send('post', path, { key: secret, body })).document.code, 'not_allowed', path);
    const patched = await send('patch', member, { key: secret, body: { role: 'owner' } });
    assert.equal(patched.document.code, 'not_allowed');
    for (const path of ['/members', member, '/invitations', '/keys'])
      assert.equal((await send('get', path, { key: secret })).status, 403, path);
    await app.close();
  });

  it('the last owner is neither removed nor given another role', async () => {
    const { app, addMember, send } = await opened();
    const path = `/members/${await addMember()}`;
    const removed = await send('delete', path, { key });
    assert.deepEqual([removed.status, removed.document.code], [409, 'last_owner']);
    const changed = await send('patch', path, { key, body: { role: 'viewer' } });
    assert.deepEqual([changed.status, changed.document.code], [409, 'last_owner']);
    await app.close();
  });

  it('a member is shown by id or address, without secrets', async () => {
    const { app, addMember, send } = await opened();
    const id = await addMember();
    const { document } = await send('get', `/members/${id}%40example.com`, { key });
    assert.deepEqual(
      [document.person_id, document.has_password, (document.sessions as unknown[]).length],
      [id, true, 1],
    );
    assert.deepEqual(document.single_sign_on, {
      issuer: 'https://id.example',
      subject: id,
      role_source: 'assigned',
    });
    assert.doesNotMatch(JSON.stringify(document), /a hash|public/);
    await app.close();
  });

  it('a field that a change of a member leaves out keeps its value', async () => {
    const { app, addMember, send, stores } = await opened();
    const id = await addMember('viewer');
    const path = `/members/${id}`;
    await send('patch', path, { key, body: { role: 'developer', client_ids: ['acme', 'none'] } });
    assert.deepEqual((await stores.people.findPerson(id))?.clientIds, ['acme']);
    await send('patch', path, { key, body: { client_ids: ['other'] } });
    const person = await stores.people.findPerson(id);
    assert.deepEqual([person?.role, person?.clientIds], ['developer', ['other']]);
    await app.close();
  });

  it('the last way to sign in is not removed', async () => {
    const { app, addMember, send, db } = await opened();
    const id = await addMember();
    await db.write('UPDATE person SET password = NULL');
    assert.equal((await send('delete', `/members/${id}/identity`, { key })).status, 200);
    const { status, document } = await send('delete', `/members/${id}/passkeys/${id}`, { key });
    assert.deepEqual([status, document.code], [409, 'last_way']);
    await app.close();
  });

  describe('with a mail server', withSmtpServer, () => {
    it('a link is mailed, or returned if that is requested or fails', async () => {
      const server = await startSmtpServer();
      const sender = parseMailSender('kalends@example.com');
      const mailer = smtpMailer(parseMailServer(`smtp://127.0.0.1:${server.port}`), sender);
      const { app, send } = await openAdministrationApp(await open(), { mailer });
      const invite = async (more: object) =>
        (await send('post', '/invitations', { key, body: { role: 'viewer', ...more } })).document;

      const { expires_at: _, ...mailed } = await invite({ email: 'ada@example.com' });
      assert.deepEqual(mailed, { mailed: true, role: 'viewer', email: 'ada@example.com' });
      assert.match(String((await invite({ email: 'ben@example.com', link: true })).url), /dashboard\/join/);
      const failed = await invite({ email: 'refused@example.com' });
      assert.match(`${failed.url} ${failed.mail_error}`, /dashboard\/join.*\(550\)/);
      assert.deepEqual(
        (await server.mails()).flatMap(({ to }) => to),
        ['ada@example.com'],
      );
      server.stop();
      await app.close();
    });
  });

  it('no link is created while the dashboard is off', async () => {
    const { app, send, stores } = await openAdministrationApp(await open(), { dashboardUrl: '' });
    const { status, document } = await send('post', '/invitations', { key, body: { role: 'viewer' } });
    assert.deepEqual([status, document.code], [409, 'dashboard_off']);
    assert.deepEqual(await stores.people.listInvitations(NOW), []);
    await app.close();
  });

  it('each refusal of the domain has a documented error', () => {
    for (const [kind, code, status] of [
      ['last_owner', 'last_owner', 409],
      ['role_from_claims', 'role_from_claims', 409],
      ['not_signed_in', 'invalid_admin_key', 401],
      ['too_many_for_login', 'too_many_requests', 429],
      ['issuer_unavailable', 'not_allowed', 403],
    ] as const) {
      const error = toApiError(new PeopleRefusal(kind));
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.body.code, error.status], [code, status]);
    }
  });
});
