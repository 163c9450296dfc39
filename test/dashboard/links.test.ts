/** Invitations and other one-time links in the dashboard: who created them, and for whom. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import { makeResetLink } from '../../src/people/invitations.ts';
import { onSqlite } from '../harness/databases.ts';
import { type Answer, leadsTo, openDashboardApp } from './dashboard-app.ts';

/** Returns the path of the new link on a page. */
const pathIn = ({ body }: Answer): string => /\/dashboard\/join\/[\w-]{43}/.exec(body)?.[0] ?? '';

onSqlite((open) => {
  it('the links of an owner say so under People, and end when another owner removes them', async () => {
    const { app, signedIn, browser, stores, clock } = await openDashboardApp(await open());
    const [ada, ben] = [await signedIn('owner'), await signedIn('owner')];
    const path = pathIn(await ada.post('/dashboard/people/invite', { role: 'owner' }));
    assert.equal((await browser().get(path)).status, 200);
    const table = (await ben.get('/dashboard/people')).body.split('<h2>').at(-1) ?? '';
    assert.ok(table.includes('Created by') && table.includes(`${ada.personId}@example.com`), table);

    await ben.post(`/dashboard/people/${ada.personId}/remove`);

    assert.equal((await browser().get(path)).status, 410);
    const form = { name: 'Ada', login: 'ada@example.com', password: 'seven kettles sing at noon' };
    assert.equal((await browser().post(path, form)).status, 410);
    assert.deepEqual(await stores.people.listInvitations(clock.now), []);
    const [removed, withdrawn] = await stores.audit.listEntries({}, { limit: 2 });
    assert.deepEqual([removed?.action, withdrawn?.action], ['person.removed', 'person.invitation_withdrawn']);
    assert.deepEqual(withdrawn?.actor, { kind: 'person', id: ben.personId, name: 'Some owner' });
    await app.close();
  });

  it('a member sees and withdraws the open reset links of their own account, also those that others created', async () => {
    const { app, signedIn, browser, stores, clock } = await openDashboardApp(await open());
    const owner = await signedIn('owner');
    const [ben, eve] = [await signedIn('developer'), await signedIn('developer')];
    const account = async () => (await ben.get('/dashboard/account')).body;
    await makeResetLink('command line', ben.personId, { ...stores, now: () => clock.now, by: undefined });
    assert.match(await account(), /Open reset links.*the command line or an older version/s);
    const path = pathIn(await owner.post(`/dashboard/people/${ben.personId}/reset`));
    assert.match(await account(), new RegExp(`Open reset links.*${owner.personId}@example.com`, 's'));
    assert.ok(!(await eve.get('/dashboard/account')).body.includes('Open reset links'));

    const links = await stores.people.listInvitations(clock.now, ben.personId);
    const id = links.find(({ creator }) => creator !== undefined)?.invitationId;
    const withdraw = `/dashboard/account/links/${id}/withdraw`;
    assert.equal((await eve.post(withdraw)).status, 404);
    assert.equal((await browser().get(path)).status, 200);
    assert.equal(leadsTo(await ben.post(withdraw)), '/dashboard/account?done=withdrawn');
    assert.equal((await browser().get(path)).status, 410);
    assert.equal((await ben.post(withdraw)).status, 404);
    await app.close();
  });

  it('a new password and the end of their other sessions leave the links that a member created', async () => {
    const { app, signedIn, browser } = await openDashboardApp(await open());
    const ada = await signedIn('owner');
    const path = pathIn(await ada.post('/dashboard/people/invite', { role: 'viewer' }));

    await ada.post('/dashboard/account/password', { password: 'seven kettles sing at noon' });
    await ada.post('/dashboard/account/sessions/end-others');

    assert.equal((await browser().get(path)).status, 200);
    await app.close();
  });
});
