/** Contract tests for ManagedStore, and for the changes of a caller that applies a manifest. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Caller } from '../../src/audit/audit-entry.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { NOW, sealer, tenTimes } from './calendar-rows.ts';

const HEARS = { events: true, calendars: false, connections: false, own: false };
const LEASE_MS = 60_000;

export function managedStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = openStores(await open(), { sealer });
    let at = NOW;
    const by: Caller = { actor: { kind: 'command_line', name: 'root' }, address: undefined, now: () => at };
    const applying = (holder: string): Caller => ({ ...by, applyHolder: holder });
    const createClient = (clientId: string, caller: Caller) => {
      const facts = {
        clientId,
        name: clientId,
        displayName: undefined,
        webhookUrl: undefined,
        createdAt: NOW,
      };
      return stores.clients.createClient({ ...facts, redirectUri: 'https://a.example/' }, clientId, caller);
    };
    const addEndpoint = (endpointId: string, clientId: string, caller: Caller) => {
      const endpoint = { endpointId, clientId, url: `https://${endpointId}.example/`, hears: HEARS };
      return stores.endpoints.addEndpoint({ ...endpoint, secret: 'whsec_x', createdAt: NOW }, caller);
    };
    const invite = (invitationId: string, caller: Caller, personId?: string) => {
      const facts = {
        invitationId,
        role: 'viewer' as const,
        login: `${invitationId}@x.example`,
        clientIds: [],
      };
      const times = { createdAt: NOW, expiresAt: NOW + LEASE_MS };
      const purpose = personId === undefined ? ('invite' as const) : ('reset' as const);
      const link = { ...facts, ...times, purpose, personId };
      return stores.people.addInvitation(link, invitationId, { by: caller });
    };
    const managed = async () => [...(await stores.managed.listManaged())].sort();
    const setNow = (now: number) => {
      at = now;
    };
    return { ...stores, by, applying, createClient, addEndpoint, invite, managedIds: managed, setNow };
  };

  describe(`ManagedStore on ${database}`, () => {
    it('one of several holders takes the lease, until it is released or expires', async () => {
      const { managed } = await prepare();
      const claims = await tenTimes((i) => managed.claimApply(`holder ${i}`, NOW));
      const winner = claims.indexOf(true);
      assert.equal(claims.filter(Boolean).length, 1);
      assert.equal(await managed.claimApply('next', NOW + LEASE_MS), false);
      await managed.releaseApply('another');
      assert.equal(await managed.claimApply('next', NOW), false);
      await managed.releaseApply(`holder ${winner}`);
      assert.equal(await managed.claimApply('next', NOW), true);
      assert.equal(await managed.claimApply('last', NOW + LEASE_MS + 1), true);
    });

    it('a change is made only while its holder has the lease, and extends it', async () => {
      const { managed, clients, applying, createClient, setNow } = await prepare();
      await assert.rejects(createClient('none', applying('none')), /another one has run/);
      await managed.claimApply('one', NOW);
      setNow(NOW + LEASE_MS);
      await createClient('first', applying('one'));
      assert.equal(await managed.claimApply('two', NOW + LEASE_MS + 1), false);
      assert.equal(await managed.claimApply('two', NOW + 2 * LEASE_MS + 1), true);
      await assert.rejects(createClient('second', applying('one')), /another one has run/);
      assert.deepEqual(
        (await clients.listClients()).map(({ clientId }) => clientId),
        ['first'],
      );
    });

    it('has what an apply created and nobody deleted', async () => {
      const { by, applying, createClient, addEndpoint, invite, managedIds, ...stores } = await prepare();
      await stores.managed.claimApply('one', NOW);
      const apply = applying('one');
      await createClient('kept', apply);
      for (const caller of [apply, by]) {
        const prefix = caller === by ? 'other-' : '';
        await createClient(`${prefix}app`, caller);
        await addEndpoint(`${prefix}we_1`, 'kept', caller);
        await addEndpoint(`${prefix}we_2`, `${prefix}app`, caller);
        await invite(`${prefix}link`, caller);
      }
      assert.deepEqual(await managedIds(), ['app', 'kept', 'link', 'we_1', 'we_2']);

      await stores.clients.deleteClient('app', NOW, by);
      assert.deepEqual(await managedIds(), ['kept', 'link', 'we_1']);
      await stores.endpoints.removeEndpoint('we_1', by);
      await stores.people.removeInvitation({ invitationId: 'link' }, apply);
      assert.deepEqual(await managedIds(), ['kept']);
    });

    it('a member is managed instead of their invitation; a reset link is nothing new', async () => {
      const { by, applying, invite, managedIds, people, managed } = await prepare();
      await managed.claimApply('one', NOW);
      for (const [id, caller] of [
        ['link', applying('one')],
        ['other', by],
      ] as const) {
        await invite(id, caller);
        const person = {
          personId: `person of ${id}`,
          name: 'Ada',
          login: `${id}@x.example`,
          password: 'hash',
        };
        assert.equal(await people.acceptInvitation(id, person, { now: NOW, by }), 'done');
      }
      assert.deepEqual(await managedIds(), ['person of link']);
      await invite('reset', applying('one'), 'person of link');
      assert.deepEqual(await managedIds(), ['person of link']);
      await people.setRole('person of other', { role: 'owner', clientIds: [] }, by);
      assert.equal(await people.removePerson('person of link', by), true);
      assert.deepEqual(await managedIds(), []);
    });
  });
}
