/** ProviderAppStore in SQL; held to test/contract/provider-app-store.contract.ts on both databases. */

import type { AppKind, ProviderAppStore } from '../access/provider-apps.ts';
import type { ProviderApp } from '../calendars/calendar-provider.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { Database } from './drivers/database.ts';

const FIND = `
  SELECT app_client_id AS "clientId", app_client_secret AS "clientSecret"
    FROM provider_app WHERE client_id = :clientId AND provider = :kind`;

// Selects from the application's row, so that nothing is inserted for one that is being deleted.
const SET = `
  INSERT INTO provider_app (client_id, provider, app_client_id, app_client_secret, updated_at)
  SELECT client_id, CAST(:kind AS TEXT), CAST(:appClientId AS TEXT), CAST(:sealed AS TEXT), CAST(:now AS BIGINT)
    FROM application WHERE client_id = :clientId
  ON CONFLICT (client_id, provider) DO UPDATE SET app_client_id = excluded.app_client_id,
    app_client_secret = excluded.app_client_secret, updated_at = excluded.updated_at
  RETURNING client_id`;

const REMOVE = `
  DELETE FROM provider_app WHERE client_id = :clientId AND provider = :kind RETURNING client_id`;

const LIST = `
  SELECT provider AS "kind", app_client_id AS "appClientId" FROM provider_app WHERE client_id = :clientId`;

/** The apps of applications in `db`, their secrets sealed. */
export function providerAppStore(db: Database, sealer: Sealer): ProviderAppStore {
  return {
    async findProviderApp(clientId, kind) {
      const row = await db.get<ProviderApp>(FIND, { clientId, kind });
      return row && { ...row, clientSecret: sealer.open(row.clientSecret, contextOf(clientId, kind)) };
    },

    async setProviderApp({ clientId, kind }, { clientId: appClientId, clientSecret }, now) {
      const sealed = sealer.seal(clientSecret, contextOf(clientId, kind));
      return (await db.write(SET, { clientId, kind, appClientId, sealed, now })).length > 0;
    },

    async removeProviderApp(clientId, kind) {
      return (await db.write(REMOVE, { clientId, kind })).length > 0;
    },

    async listProviderApps(clientId) {
      const rows = await db.all<{ kind: AppKind; appClientId: string }>(LIST, { clientId });
      return Object.fromEntries(rows.map(({ kind, appClientId }) => [kind, appClientId]));
    },
  };
}

const contextOf = (clientId: string, kind: AppKind): string => `provider_app|${clientId}|${kind}|secret`;
