/** Members and endpoints of manifests, on both databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { hashOfSecret } from '../../src/lib/sealing.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { countWork } from '../harness/processor-time.ts';
import { ENVIRONMENT_KEY as key, NOW, openAdministrationApp } from './administration-app.ts';

type Applied = {
  steps: { action: string; path: string }[];
  secrets: Record<string, string>[];
  failure: { code: string } | null;
  details?: Record<string, string[]>;
};

const URI = 'https://app.example/cb';

onEachDatabase((database, open) => {
  describe(`members and endpoints of manifests on ${database}`, () => {
    const prepare = async (options: Parameters<typeof openAdministrationApp>[1] = {}) => {
      const administration = await openAdministrationApp(await open(), options);
      const { send, stores, by } = administration;
      const post = async (body: object, sender = key): Promise<Applied> =>
        (await send('post', '/apply', { key: sender, body })).document as Applied; // what the operation returns
      const apply = (manifest: object) => post({ manifest });
      const prune = (manifest: object) => post({ manifest, prune: true });
      const accept = async ({ secrets }: Applied, email: string) => {
        const invitations = await stores.people.listInvitations(NOW);
        const link = invitations.find(({ login }) => login === email) ?? assert.fail(email);
        const person = { personId: `id of ${email}`, name: 'Ada', login: email, password: 'hash' };
        const token =
          secrets
            .find(({ path }) => path?.toLowerCase().includes(email))
            ?.url?.split('/')
            .at(-1) ?? '';
        assert.equal(
          await stores.people.acceptInvitation(hashOfSecret(token), person, { now: NOW, by }),
          'done',
        );
        return link;
      };
      const roles = async () =>
        Object.fromEntries((await stores.people.listPeople()).map(({ login, role }) => [login, role]));
      return { ...administration, post, apply, prune, accept, roles };
    };
    const names = ({ steps }: Applied) => steps.map(({ action, path }) => `${action} ${path}`);

    it('a member is invited, changed as an invitation and as a person, and removed', async () => {
      const { app, apply, prune, accept, addMember, stores, roles } = await prepare();
      const members = (ada: object) => ({ members: { 'Ada@x.example': ada } });
      const invited = await apply(members({ role: 'developer', applications: ['The acme', 'other'] }));
      assert.match(String(invited.secrets[0]?.url), /^https:\/\/kalends\.example\/dashboard\/join\//);
      const [link] = await stores.people.listInvitations(NOW);
      assert.deepEqual([link?.login, link?.clientIds], ['ada@x.example', ['acme', 'other']]);
      assert.deepEqual(names(await apply(members({ applications: ['other', 'acme'] }))), []);

      const changed = await apply(members({ applications: ['acme'] }));
      assert.deepEqual(names(changed), ['update members["Ada@x.example"]']);
      const [other, ...more] = await stores.people.listInvitations(NOW);
      assert.deepEqual([other?.role, other?.clientIds, more], ['developer', ['acme'], []]);
      assert.notEqual(other?.invitationId, link?.invitationId);

      await accept(changed, 'ada@x.example');
      assert.deepEqual(names(await apply(members({ role: 'developer', applications: ['acme'] }))), []);
      await apply({ ...members({ role: 'owner' }), applications: {} });
      assert.deepEqual(await roles(), { 'ada@x.example': 'owner' });
      assert.deepEqual(names(await prune({ members: {} })), [], 'the last owner stays');
      await addMember('owner');
      assert.deepEqual(names(await prune({ members: null })), ['delete members["ada@x.example"]']);
      assert.deepEqual(Object.values(await roles()), ['owner']);
      await app.close();
    });

    for (const newest of ['developer', 'viewer'])
      it(`of the open invitations of an address, apply leaves one with its role; newest before: ${newest}`, async () => {
        const { app, apply, send, clock, stores } = await prepare();
        for (const role of ['owner', newest]) {
          await send('post', '/invitations', { key, body: { role, email: 'ada@x.example' } });
          clock.now += 1;
        }
        const members = { 'ada@x.example': { role: 'viewer' } };
        const { steps, failure } = await apply({ members });
        assert.deepEqual([steps.length, failure], [1, null]);
        assert.deepEqual((await apply({ members })).steps, []);
        const links = await stores.people.listInvitations(clock.now);
        assert.deepEqual(
          links.map(({ role }) => role),
          ['viewer'],
        );
        await app.close();
      });

    it('without a dashboard, older invitations of an unchanged member are withdrawn', async () => {
      const { app, apply, stores, by } = await prepare({ dashboardUrl: '' });
      const link = { role: 'viewer', clientIds: [], purpose: 'invite', personId: undefined } as const;
      for (const id of ['one', 'two']) {
        const invitation = {
          ...link,
          login: 'ada@x.example',
          invitationId: id,
          createdAt: NOW,
          expiresAt: NOW + 1,
        };
        await stores.people.addInvitation(invitation, id, { by });
      }
      const { steps, details } = await apply({ members: { 'ada@x.example': { role: 'viewer' } } });
      assert.deepEqual([steps.length, details], [1, undefined]);
      assert.equal((await stores.people.listInvitations(NOW)).length, 1);
      await app.close();
    });

    it('only invitations that apply made are pruned', async () => {
      const { app, apply, prune, send, stores } = await prepare();
      await apply({ members: { 'ada@x.example': { role: 'viewer' } } });
      const [applied] = await stores.people.listInvitations(NOW);
      await send('post', '/invitations', { key, body: { role: 'viewer', email: 'ada@x.example' } });
      assert.deepEqual(names(await prune({ members: {} })), ['delete members["ada@x.example"]']);
      const [left, ...others] = await stores.people.listInvitations(NOW);
      assert.notEqual(left?.invitationId, applied?.invitationId);
      assert.deepEqual(others, []);
      assert.deepEqual(names(await prune({ members: {} })), []);
      await app.close();
    });

    it('a developer gets an application that the same manifest creates', async () => {
      const { app, apply, stores } = await prepare();
      const manifest = {
        members: { 'ada@x.example': { role: 'developer', applications: ['New'] } },
        applications: { New: { redirect_uris: [URI] } },
      };
      const { failure } = await apply(manifest);
      const clients = await stores.clients.listClients();
      const clientId = clients.find(({ name }) => name === 'New')?.clientId;
      const [link] = await stores.people.listInvitations(NOW);
      assert.deepEqual([failure, link?.clientIds], [null, [clientId]]);
      assert.deepEqual(names(await apply(manifest)), []);
      await app.close();
    });

    it('members that cannot be as the manifest says are problems', async () => {
      const { app, apply, addMember, roles } = await prepare();
      const owner = `${await addMember()}@example.com`;
      const { details = {} } = await apply({
        members: {
          [owner]: { role: 'viewer' },
          'a@x.example': {},
          'b@x.example': { role: 'viewer', applications: ['The acme'] },
          'c@x.example': { role: 'developer', applications: ['The acne', 'acme'] },
          'D@x.example': { role: 'viewer' },
          'd@x.example': { role: 'viewer' },
        },
      });
      const of = (name: string) => String(details[name]);
      assert.match(of(`members["${owner}"].role`), /must stay owner: this is the only one/);
      assert.match(of('members["a@x.example"].role'), /is missing/);
      assert.match(of('members["b@x.example"].applications'), /are only for developers/);
      assert.match(of('members["c@x.example"].applications[0]'), /is unknown: did you mean The acme\?/);
      assert.match(of('members["d@x.example"]'), /is ambiguous: another entry has the same name/);
      assert.equal(Object.keys(details).length, 6);
      assert.deepEqual(await roles(), { [owner]: 'owner' });
      await app.close();
    });

    it('tens of thousands of wrong entries take seconds, not minutes', async () => {
      const { app, apply } = await prepare();
      const spent = countWork();
      const members = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`member ${i}`, {}]));
      const { details = {} } = await apply({ members });
      assert.equal(Object.keys(details).length, 80_000);
      assert.ok(spent() < 10_000);
      await app.close();
    });

    it('a role of single sign-on is not changed, and without a dashboard nobody is invited', async () => {
      const { app, apply, addMember, db } = await prepare({ dashboardUrl: '' });
      const member = `${await addMember('viewer')}@example.com`;
      await db.write("UPDATE person_identity SET role_source = 'claims'");
      const { details = {} } = await apply({
        members: { [member]: { role: 'developer' }, 'new@x.example': { role: 'viewer' } },
      });
      assert.match(String(details[`members["${member}"]`]), /single sign-on: change it there/);
      assert.match(String(details['members["new@x.example"]']), /the dashboard is off/);
      assert.deepEqual(names(await apply({ members: { [member]: { role: 'viewer' } } })), []);
      await app.close();
    });

    it('the webhook URL has its topics as an endpoint, and an endpoint moves by its id', async () => {
      const { app, apply, prune, stores } = await prepare();
      const [hook, added, moved] = [
        'https://app.example/1',
        'https://app.example/2',
        'https://app.example/3',
      ];
      const acme = (endpoints: unknown, settings: object = {}) => ({
        applications: { 'The acme': { ...settings, endpoints } },
      });
      const { secrets } = await apply(
        acme({ [hook]: { hears: ['calendars'] }, [added]: null }, { webhook_url: hook }),
      );
      assert.deepEqual(
        secrets.map((one) => Object.keys(one).sort().join()),
        ['client_id,path,webhook_secret', 'endpoint_id,path,secret'],
      );
      const [first, second] = await stores.endpoints.listEndpoints('acme');
      assert.deepEqual([first?.url, first?.isFirst, first?.hears.calendars], [hook, true, true]);
      const { endpointId = '' } = second ?? {};
      assert.deepEqual(names(await apply(acme({ [moved]: { endpoint_id: endpointId } }))), [
        `update applications["The acme"].endpoints["${moved}"]`,
      ]);
      assert.equal((await stores.endpoints.findEndpoint(endpointId))?.url, moved);

      const wrong = acme({
        [added]: { endpoint_id: first?.endpointId },
        'http://x.example': {},
        b: { endpoint_id: 'we_none', hears: ['own'] },
      });
      const { details = {} } = await apply(wrong);
      const place = (url: string) => `applications["The acme"].endpoints["${url}"]`;
      assert.match(String(details[place(added)]), /is webhook_url of the application/);
      assert.match(String(details[place('http://x.example')]), /is not valid: The webhook URL must be https/);
      assert.match(String(details['applications["The acme"].endpoints.b.endpoint_id']), /no such object/);
      assert.deepEqual(names(await prune(acme(undefined))), []);
      assert.deepEqual(names(await prune(acme({}))), [`delete ${place(moved)}`]);
      assert.deepEqual(
        (await stores.endpoints.listEndpoints('acme')).map(({ url }) => url),
        [hook],
      );
      await app.close();
    });

    it('namesakes are exported with their ids, and only owners may export and apply', async () => {
      const { app, send, apply, createKey, post } = await prepare();
      for (const name of ['Twin', 'Twin', '__proto__'])
        await send('post', '/applications', { key, body: { name, redirect_uri: URI } });
      const url = 'https://app.example/same';
      for (const _ of [1, 2]) await send('post', '/applications/acme/endpoints', { key, body: { url } });
      const { document } = await send('get', '/manifest', { key });
      const applications = Object.keys(document.applications as object);
      assert.deepEqual(applications.map((one) => one.replace(/proj\w+/, 'ID')).sort(), [
        ...['The acme', 'The other', 'Twin (ID)', 'Twin (ID)', '__proto__'],
      ]);
      assert.deepEqual(names(await apply(document)), []);
      for (const role of ['developer', 'viewer'] as const) {
        const { secret } = await createKey(role);
        assert.equal((await send('get', '/manifest', { key: secret })).status, 403);
        assert.equal((await post({ manifest: {}, dry_run: true }, secret)).steps, undefined);
      }
      await app.close();
    });
  });
});
