/** Tests the rule for private addresses in every EndpointStore. Each database's test calls this with its own `open`. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import type { AuditActor } from '../../src/audit/audit-entry.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { DEFAULT_SETTINGS } from '../../src/oauth/client.ts';
import type { Role } from '../../src/people/person.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import type { NewEndpoint } from '../../src/webhooks/endpoint-store.ts';
import { NOW } from './calendar-rows.ts';
import { makeCalendars } from './grant-rows.ts';

const URL = 'https://hook.example/in?tenant=7';

const added = (change: Partial<NewEndpoint> = {}): NewEndpoint => ({
  ...{ endpointId: 'we_1', clientId: 'acme', url: URL, secret: 'whsec_first', createdAt: NOW },
  hears: { events: true, calendars: false, connections: true, own: false },
  ...change,
});

export function endpointNetworkContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    const { endpoints, clients } = openStores(db, { sealer: createSealer(randomBytes(32)) });
    await makeCalendars(db, [NOW, NOW]);
    const other = { ...DEFAULT_SETTINGS, clientId: 'other', name: 'other', displayName: undefined };
    const redirectUri = 'https://other.example/cb';
    await clients.createClient({ ...other, redirectUri, webhookUrl: URL, createdAt: NOW }, 'hash', undefined);
    return { db, endpoints, clients };
  };
  const callerOf = (actor: AuditActor) => ({ actor, address: undefined, now: () => NOW });
  const memberOf = async (db: Database, role: Role): Promise<AuditActor> => {
    await db.write(
      `INSERT INTO person (person_id, name, login, role, created_at) VALUES (:role, :role, :role, :role, 1)
       RETURNING person_id`,
      { role },
    );
    return { kind: 'person', id: role, name: role };
  };
  const keyOf = async (db: Database, role: Role): Promise<AuditActor> => {
    const id = `ak_${role}`;
    await db.write(
      `INSERT INTO admin_key (key_id, name, role, client_ids, prefix, key_hash, created_at)
       VALUES (:id, 'CI', :role, '[]', 'kal_adm_', :id, 1) RETURNING key_id`,
      { id, role },
    );
    return { kind: 'admin_key', id, name: 'CI' };
  };

  describe(`the private addresses of EndpointStore on ${database}`, () => {
    it('only a URL that an owner, their key or the command line sets may have a private address', async () => {
      const { db, endpoints, clients } = await prepare();
      const reach = async (endpointId: string) => (await endpoints.findEndpoint(endpointId))?.privateNetwork;
      const setters: readonly (readonly [AuditActor, 0 | 1])[] = [
        [await memberOf(db, 'owner'), 1],
        [await memberOf(db, 'developer'), 0],
        [{ kind: 'command_line', name: 'root' }, 1],
        [await memberOf(db, 'viewer'), 0],
        [{ kind: 'person', id: 'removed', name: 'command_line' }, 0],
        [{ kind: 'system' }, 0],
        [await keyOf(db, 'owner'), 1],
        [await keyOf(db, 'developer'), 0],
        [{ kind: 'admin_key', id: 'environment', name: 'environment' }, 1],
        [{ kind: 'admin_key', id: 'removed', name: 'environment' }, 0],
      ];
      for (const [index, [actor, expected]] of setters.entries()) {
        const by = callerOf(actor);
        await endpoints.addEndpoint(added({ endpointId: `we_${index}` }), by);
        assert.equal(await reach(`we_${index}`), expected);
        await endpoints.changeEndpoint('we_0', { hears: added().hears, url: `${URL}${index}` }, by);
        assert.equal(await reach('we_0'), expected);
        await clients.updateClient('other', { webhookUrl: `${URL}${index}` }, { now: NOW, by });
        assert.equal(await reach('we_other'), expected);
      }
    });

    it('what does not set the URL of an endpoint does not change whether it may have a private address', async () => {
      const { db, endpoints } = await prepare();
      const [owner, developer] = [await memberOf(db, 'owner'), await memberOf(db, 'developer')];
      for (const [first, other] of [
        [owner, developer],
        [developer, owner],
      ] as const) {
        const endpointId = `we_${first === owner}`;
        await endpoints.addEndpoint(added({ endpointId }), callerOf(first));
        const before = await endpoints.findEndpoint(endpointId);
        const by = callerOf(other);
        await endpoints.changeEndpoint(endpointId, { hears: { ...added().hears, calendars: true } }, by);
        await endpoints.pauseEndpoint(endpointId, NOW, by);
        await endpoints.resumeEndpoint(endpointId, by);
        await endpoints.changeSecrets(endpointId, () => [], by);
        assert.equal((await endpoints.findEndpoint(endpointId))?.privateNetwork, before?.privateNetwork);
        assert.equal(before?.privateNetwork, first === owner ? 1 : 0);
      }
    });
  });
}
