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
});
