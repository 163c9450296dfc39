import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { hashOfSecret } from '../../src/lib/sealing.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { type CommandLine, openCommandLine } from './cli-run.ts';

describe('kalends admin', () => {
  let cli: CommandLine;
  beforeEach(async () => {
    cli = await openCommandLine();
  });
  afterEach(() => cli.close());

  it('lists the open invitations and withdraws one, once', async () => {
    await cli.json('admin', 'invite', 'ben@example.com', '--role', 'viewer');
    const { document } = await cli.json('admin', 'invitations');
    const [invitation] = document.invitations as Record<string, unknown>[];
    assert.deepEqual([invitation?.email, invitation?.role], ['ben@example.com', 'viewer']);
    assert.equal(invitation?.created_by, null);
    const id = String(invitation?.invitation_id);

    assert.equal((await cli.json('admin', 'withdraw', id)).exitCode, 0);
    assert.deepEqual((await cli.json('admin', 'invitations')).document.invitations, []);
    assert.equal((await cli.json('admin', 'withdraw', id)).document.error, 'not_found');
  });

  it('shows which member created an invitation, until they are signed out by force', async () => {
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
    const person = { personId: 'ada', name: 'Ada', login: 'ada@example.com', password: 'a hash' };
    const now = Date.now();
    const link = { role: 'owner', login: undefined, clientIds: [], personId: undefined } as const;
    const times = { createdAt: now, expiresAt: now + 60_000 };
    await storage.people.addInvitation({ ...link, ...times, invitationId: 'i', purpose: 'setup' }, 'h', {
      by: undefined,
    });
    await storage.people.acceptInvitation('h', person, { now, by: undefined });
    const session = { sessionHash: 's', sessionId: 's', personId: 'ada', provedAt: now, seenAt: now };
    await storage.people.addSession(
      { ...session, createdAt: now, address: '192.0.2.7', browser: 'a test' },
      undefined,
    );
    const creator = { personId: 'ada', sessionId: 's' };
    await storage.people.addInvitation({ ...link, ...times, invitationId: 'j', purpose: 'invite' }, 'k', {
      creator,
      by: undefined,
    });
    await storage.close();

    const [shown] = (await cli.json('admin', 'invitations')).document.invitations as Record<
      string,
      unknown
    >[];
    assert.deepEqual([shown?.invitation_id, shown?.created_by], ['j', 'ada@example.com']);
    assert.equal((await cli.json('admin', 'sign-out', 'ada')).document.ended, 1);
    assert.deepEqual((await cli.json('admin', 'invitations')).document.invitations, []);
  });

  it('shows how somebody signs in, changes their role, and ends their sessions', async () => {
    for (const [personId, role] of [
      ['ada', 'owner'],
      ['ben', 'viewer'],
    ] as const) {
      const { document } = await cli.json('admin', 'invite', '--role', role);
      const token = String(document.url).split('/').at(-1) ?? '';
      const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
      const person = { personId, name: personId, login: `${personId}@example.com`, password: 'a hash' };
      await storage.people.acceptInvitation(hashOfSecret(token), person, { now: Date.now(), by: undefined });
      const times = { createdAt: Date.now(), seenAt: Date.now(), provedAt: Date.now() };
      const session = { sessionHash: personId, sessionId: personId, personId, ...times };
      await storage.people.addSession({ ...session, address: '192.0.2.7', browser: 'a test' }, undefined);
      await storage.close();
    }
    const ben = (await cli.json('admin', 'show', 'ben@example.com')).document;
    assert.deepEqual(
      [ben.role, ben.has_password, ben.passkeys, ben.single_sign_on],
      ['viewer', true, [], null],
    );
    assert.equal((ben.sessions as Record<string, unknown>[])[0]?.address, '192.0.2.7');
    assert.ok(!JSON.stringify(ben).includes('a hash'));

    assert.equal((await cli.json('admin', 'sign-out', 'ben')).document.ended, 1);
    assert.deepEqual((await cli.json('admin', 'show', 'ben')).document.sessions, []);
    assert.equal((await cli.json('admin', 'role', 'ada', '--role', 'viewer')).document.error, 'last_owner');
    assert.equal((await cli.json('admin', 'role', 'ben', '--role', 'owner')).exitCode, 0);
    assert.equal((await cli.json('admin', 'show', 'ben')).document.role, 'owner');

    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
    const passkey = { passkeyId: 'k', publicKey: 'a', counter: 0, transports: [], name: 'Phone' };
    await storage.people.addPasskey('ben', passkey, { now: Date.now(), most: 20, by: undefined });
    await storage.people.setIdentity(
      'ben',
      { issuer: 'https://id.example', subject: 's-1' },
      { now: Date.now(), by: undefined },
    );
    await storage.close();
    const { document: shown } = await cli.json('admin', 'show', 'ben');
    assert.deepEqual(shown.passkeys, [{ passkey_id: 'k', name: 'Phone', last_used_at: null }]);
    assert.equal((await cli.json('admin', 'disconnect', 'ben', '--yes')).exitCode, 0);
    assert.equal((await cli.json('admin', 'remove-passkey', 'ben', 'k', '--yes')).exitCode, 0);
    assert.equal(
      (await cli.json('admin', 'remove-passkey', 'ben', 'k', '--yes')).document.error,
      'not_found',
    );
    assert.equal((await cli.json('admin', 'show', 'ben')).document.single_sign_on, null);
  });
});
