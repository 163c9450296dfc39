/** The page of the keys of the administration API. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hashOfSecret } from '../../src/lib/sealing.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { leadsTo, openDashboardApp } from './dashboard-app.ts';

const PATH = '/dashboard/system/admin-keys';
const FIVE_MINUTES = 5 * 60_000;
const textIn = (body: string) => /kal_adm_[\w-]{43}/.exec(body)?.[0] ?? '';

onEachDatabase((database, open) => {
  it(`an owner creates, rotates and revokes a key, whose text is shown once, on ${database}`, async () => {
    const { app, clock, signedIn, stores } = await openDashboardApp(await open());
    const owner = await signedIn('owner');
    const { personId } = owner;
    assert.match((await owner.get(PATH)).body, /No admin keys yet/);
    const isValid = async (text: string) =>
      (await stores.adminKeys.useKey(hashOfSecret(text), clock.now)) !== undefined;

    const form = { name: '<i>Deploy', role: 'developer', application: 'acme', days: '90' };
    const first = textIn((await owner.post(`${PATH}/new`, form)).body);
    const [key] = await stores.adminKeys.listKeys(clock.now);
    assert.deepEqual([key?.role, key?.clientIds, key?.creatorId], ['developer', ['acme'], personId]);
    assert.equal(key?.expiresAt, clock.now + 90 * 24 * 3_600_000);
    const list = (await owner.get(PATH)).body;
    assert.ok(/&#60;i&#62;Deploy.*kal_adm_.*Valid/s.test(list));
    assert.equal(textIn(list), '');

    const one = `${PATH}/${key?.keyId}`;
    assert.match((await owner.get(`${one}/rotate`)).body, /The expiry does not change/);
    const second = textIn((await owner.post(`${one}/rotate`, { overlap: '0' })).body);
    assert.deepEqual([await isValid(first), await isValid(second)], [false, true]);
    assert.match((await owner.get(`${one}/revoke`)).body, /cannot be undone/);
    assert.equal(leadsTo(await owner.post(`${one}/revoke`)), `${PATH}?done=key_revoked`);
    assert.equal(await isValid(second), false);
    assert.equal((await owner.post(`${one}/revoke`)).status, 404);
    await app.close();
  });

  it(`a key needs a name, and that of a developer an application, on ${database}`, async () => {
    const { app, clock, signedIn, stores } = await openDashboardApp(await open());
    const owner = await signedIn('owner');
    const post = (form: Record<string, string>) => owner.post(`${PATH}/new`, form);

    const unnamed = await post({ name: ' ', role: 'owner', days: '0' });
    assert.equal(unnamed.status, 400);
    assert.match(unnamed.body, /not created\. The name must not be empty/);
    const without = await post({ name: 'Deploy', role: 'developer' });
    assert.match(without.body, /needs at least one application.*value="Deploy"/s);
    assert.equal((await post({ name: 'Deploy', role: 'developer', application: 'no such one' })).status, 400);
    assert.deepEqual(await stores.adminKeys.listKeys(clock.now), []);
    const { body } = await post({ name: 'Deploy', role: 'viewer', application: 'acme', days: '0' });
    assert.notEqual(textIn(body), '');
    const [key] = await stores.adminKeys.listKeys(clock.now);
    assert.deepEqual([key?.clientIds, key?.expiresAt], [[], undefined]);
    await app.close();
  });

  it(`all of it needs an owner who signed in less than five minutes ago, on ${database}`, async () => {
    const { app, clock, signedIn, stores } = await openDashboardApp(await open());
    const form = { name: 'Deploy', role: 'viewer', days: '30' };
    for (const role of ['developer', 'viewer'] as const) {
      const member = await signedIn(role);
      assert.equal((await member.get(PATH)).status, 403);
      assert.equal((await member.post(`${PATH}/new`, form)).status, 403);
    }
    const owner = await signedIn('owner');
    clock.now += FIVE_MINUTES;
    assert.match(leadsTo(await owner.get(PATH)), /confirm/);
    assert.match(leadsTo(await owner.post(`${PATH}/new`, form)), /confirm/);
    assert.deepEqual(await stores.adminKeys.listKeys(clock.now), []);
    await app.close();
  });
});
