/** A person's page: how they sign in, where they are signed in, and the end of that. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import { onSqlite } from '../harness/databases.ts';
import { leadsTo, openDashboardApp } from './dashboard-app.ts';

onSqlite((open) => {
  it('an owner sees how and where somebody signs in, and ends their sessions after a fresh sign-in', async () => {
    const { app, clock, signedIn, stores } = await openDashboardApp(await open());
    const [owner, ben] = [await signedIn('owner'), await signedIn('developer')];
    const { personId } = ben;
    const passkey = { passkeyId: 'k', publicKey: 'a', counter: 0, transports: [], name: '<i>Phone' };
    await stores.people.addPasskey(personId, passkey, { now: clock.now, most: 20, by: undefined });
    await stores.people.setIdentity(
      personId,
      { issuer: 'https://id.example', subject: 's-1' },
      { now: clock.now, by: undefined },
    );
    const path = `/dashboard/people/${personId}`;

    const { body } = await owner.get(path);
    for (const part of ['&#60;i&#62;Phone', 's-1', 'id.example', '192.0.2.1', 'The member has no password'])
      assert.ok(body.includes(part), part);
    assert.ok(!body.includes('<i>Phone'));

    clock.now += 5 * 60_000;
    assert.match(leadsTo(await owner.post(`${path}/sessions/end`)), /confirm/);
    assert.equal((await ben.get('/dashboard')).status, 200);
    clock.now -= 5 * 60_000;
    assert.equal(leadsTo(await owner.post(`${path}/sessions/end`)), `${path}?done=signed_out`);
    assert.match(leadsTo(await ben.get('/dashboard')), /sign-in/);
    assert.match((await owner.get(`${path}?done=signed_out`)).body, /sessions ended/);
    const [entry] = await stores.audit.listEntries({}, { limit: 1 });
    assert.deepEqual([entry?.action, entry?.subject], ['person.signed_out_everywhere', personId]);
    await app.close();
  });

  it('an owner takes a passkey or single sign-on away from somebody, but never the last way in', async () => {
    const { app, clock, signedIn, stores } = await openDashboardApp(await open());
    const [owner, ben] = [await signedIn('owner'), await signedIn('developer')];
    const { personId } = ben;
    const passkey = { passkeyId: 'k', publicKey: 'a', counter: 0, transports: [], name: 'Phone' };
    await stores.people.addPasskey(personId, passkey, { now: clock.now, most: 20, by: undefined });
    await stores.people.setIdentity(
      personId,
      { issuer: 'https://id.example', subject: 's-1' },
      { now: clock.now, by: undefined },
    );
    const path = `/dashboard/people/${personId}`;
    const ways = async () => [
      (await stores.people.listPasskeys(personId)).length,
      (await stores.people.findPerson(personId))?.identity?.subject,
    ];
    assert.equal((await ben.post(`${path}/passkeys/k/remove`)).status, 403);
    clock.now += 5 * 60_000;
    assert.match(leadsTo(await owner.post(`${path}/passkeys/k/remove`)), /confirm/);
    clock.now -= 5 * 60_000;

    assert.equal(leadsTo(await owner.post(`${path}/single-sign-on/remove`)), `${path}?done=disconnected`);
    const last = await owner.post(`${path}/passkeys/k/remove`);
    assert.deepEqual([last.status, await ways()], [409, [1, undefined]]);
    assert.match(last.body, /only sign-in method/);

    await stores.people.setPassword(personId, { password: 'a hash', keptSession: '' }, undefined);
    assert.equal(leadsTo(await owner.post(`${path}/passkeys/k/remove`)), `${path}?done=passkey_removed`);
    assert.deepEqual(await ways(), [0, undefined]);
    assert.equal((await owner.post(`${path}/passkeys/k/remove`)).status, 404);
    const [entry] = await stores.audit.listEntries({}, { limit: 1 });
    assert.deepEqual([entry?.action, entry?.subject], ['person.passkey_removed', personId]);
    await app.close();
  });

  it('lists each member with role, applications, sign-in methods and last activity', async () => {
    const { app, clock, signedIn, stores } = await openDashboardApp(await open());
    const [owner, ben] = [await signedIn('owner'), await signedIn('developer')];
    const terms = { now: clock.now, by: undefined };
    for (const passkeyId of ['a', 'b']) {
      const passkey = { passkeyId, publicKey: 'a', counter: 0, transports: [], name: 'Key' };
      await stores.people.addPasskey(ben.personId, passkey, { ...terms, most: 20 });
    }
    await stores.people.setIdentity(ben.personId, { issuer: 'https://id.example', subject: 's' }, terms);
    const password = { password: 'a hash', keptSession: `s-${owner.personId}` };
    await stores.people.setPassword(owner.personId, password, undefined);

    const rows = rowsOf((await owner.get('/dashboard/people')).body);

    assert.deepEqual(
      rows.map((row) => row.slice(1)),
      [
        ['Developer', 'The acme', '2 passkeys, Single sign-on', 'just now'],
        ['Owner', 'All', 'Password', 'just now'],
      ],
    );
    await app.close();
  });

  it('lists invitations with their applications, and members and links in parts of limited size', async () => {
    const { app, clock, db, signedIn, stores } = await openDashboardApp(await open());
    const owner = await signedIn('owner');
    const times = { createdAt: clock.now, expiresAt: clock.now + 1000 };
    for (let number = 0; number < 100; number += 1) {
      const facts = { login: `${number}@example.com`, clientIds: ['acme', 'deleted'], personId: undefined };
      await stores.people.addInvitation(
        { invitationId: `i-${number}`, purpose: 'invite', role: 'developer', ...facts, ...times },
        `h-${number}`,
        { by: undefined },
      );
      await db.write(
        `INSERT INTO person (person_id, name, login, role, created_at)
         VALUES (:personId, :name, :name, 'viewer', 1) RETURNING person_id`,
        { personId: `p-${number}`, name: `\u202e${'w'.repeat(90)}${number}` },
      );
    }
    const seen: string[] = [];
    for (let path: string | undefined = '/dashboard/people'; path !== undefined; ) {
      const { body } = await owner.get(path);
      assert.ok(Buffer.byteLength(body) < 60 * 1024, `${Buffer.byteLength(body)} bytes`);
      assert.ok(!body.includes('\u202e') && body.includes('The acme'));
      assert.match(body, /kalends admin invitations/);
      seen.push(...[...body.matchAll(/<a href="\/dashboard\/people\/(p-[^"]+)"/g)].map(([, id]) => id ?? ''));
      path = /rel="next" href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&#61;', '=');
    }

    assert.equal(new Set(seen).size, 101);
    assert.equal(seen.length, 101);
    await app.close();
  });
});

/** Returns the texts of the cells of the first table. */
const rowsOf = (body: string): string[][] =>
  [...(body.split('</tbody>')[0] ?? '').matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, '')),
  );
