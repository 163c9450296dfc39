/** ProviderAppStore in SQL; held to test/contract/provider-app-store.contract.ts on both databases. */

import type { AppKind, ProviderAppStore } from '../../access/provider-apps.ts';
import type { ProviderApp } from '../../calendars/calendar-provider.ts';
import { type Sealer, sealedField } from '../../lib/sealing.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database } from '../drivers/database.ts';
import { LOCK_APPLICATION } from './review-rows.ts';

const FIND = `
  SELECT app_client_id AS client_id, app_client_secret AS client_secret
    FROM provider_app WHERE client_id = :clientId AND provider = :kind`;

const COUNT_UP = 'UPDATE application SET updated_at = updated_at + 1 WHERE client_id = :clientId';
const APP_ID = `
  SELECT app_client_id FROM provider_app WHERE client_id = :clientId AND provider = :kind`;

// Selects from the application's row, so that nothing is inserted for an application that is being deleted.
const SET = `
  INSERT INTO provider_app (client_id, provider, app_client_id, app_client_secret, updated_at)
  SELECT client_id, CAST(:kind AS TEXT), CAST(:appClientId AS TEXT), CAST(:sealed AS TEXT), CAST(:now AS BIGINT)
    FROM application WHERE client_id = :clientId
  ON CONFLICT (client_id, provider) DO UPDATE SET app_client_id = excluded.app_client_id,
    app_client_secret = excluded.app_client_secret, updated_at = excluded.updated_at`;

const REMOVE = `
  DELETE FROM provider_app WHERE client_id = :clientId AND provider = :kind
  RETURNING app_client_id`;

const LIST = `
  SELECT provider AS kind, app_client_id FROM provider_app WHERE client_id = :clientId`;

export function providerAppStore(db: Database, sealer: Sealer): ProviderAppStore {
  return {
    async findProviderApp(clientId, kind) {
      const row = await db.get<ProviderApp>(FIND, { clientId, kind });
      return row && { ...row, clientSecret: sealer.open(row.clientSecret, appSecretContext(clientId, kind)) };
    },

    async setProviderApp({ clientId, kind }, { clientId: appClientId, clientSecret }, { now, by }) {
      const sealed = sealer.seal(clientSecret, appSecretContext(clientId, kind));
      return db.transaction(async (tx) => {
        if ((await tx.change(LOCK_APPLICATION, { clientId, now })) === 0) return false;
        const before = await tx.get<AppIdRow>(APP_ID, { clientId, kind });
        await tx.change(SET, { clientId, kind, appClientId, sealed, now });
        await auditFor(tx, by, {
          action: 'provider_app.set',
          clientId,
          subject: kind,
          ...(before !== undefined && { before: { client_id: before.appClientId } }),
          after: { client_id: appClientId },
        });
        return true;
      });
    },

    async removeProviderApp(clientId, kind, by) {
      return db.transaction(async (tx) => {
        await tx.change(COUNT_UP, { clientId });
        const removed = await tx.get<AppIdRow>(REMOVE, { clientId, kind });
        if (removed === undefined) return false;
        const before = { client_id: removed.appClientId };
        await auditFor(tx, by, { action: 'provider_app.removed', clientId, subject: kind, before });
        return true;
      });
    },

    async listProviderApps(clientId) {
      const rows = await db.all<{ kind: AppKind; appClientId: string }>(LIST, { clientId });
      return Object.fromEntries(rows.map(({ kind, appClientId }) => [kind, appClientId]));
    },
  };
}

type AppIdRow = { appClientId: string };

const appSecretContext = sealedField('provider_app.secret');
