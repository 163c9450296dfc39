/** ClientKeyStore in SQL; held to test/contract/client-key-store.contract.ts on both databases. */
import { hash } from 'node:crypto';
import type { AuditFields } from '../../audit/audit-entry.ts';
import { auditedUrl } from '../../audit/audited-url.ts';
import type { ClientKeyStore, ClientKeys } from '../../oauth/client-key-store.ts';
import type { Database, Statements } from '../drivers/database.ts';

type KeysRow = {
  readonly jwks: string | undefined;
  readonly jwksUri: string | undefined;
  readonly privateNetwork: number;
  readonly readAt: number | undefined;
  readonly freshUntil: number | undefined;
};

const FIND = `
  SELECT jwks, jwks_uri, private_network, read_at, fresh_until FROM client_jwks WHERE client_id = :clientId`;
const HAS = 'SELECT client_id FROM client_jwks WHERE client_id = :clientId';
const SET = `
  INSERT INTO client_jwks (client_id, jwks, jwks_uri, private_network)
  VALUES (:clientId, :jwks, :jwksUri, :privateNetwork)
  ON CONFLICT (client_id) DO UPDATE SET jwks = excluded.jwks, jwks_uri = excluded.jwks_uri,
    private_network = excluded.private_network, read_at = NULL, fresh_until = NULL`;
const REMOVE = 'DELETE FROM client_jwks WHERE client_id = :clientId';
const SAVE_READ = `
  UPDATE client_jwks SET jwks = :jwks, read_at = :readAt, fresh_until = :freshUntil
   WHERE client_id = :clientId AND jwks_uri = :jwksUri AND (read_at IS NULL OR read_at <= :readAt)`;

export function clientKeyStore(db: Database): ClientKeyStore {
  return {
    hasKeys: async (clientId) => (await db.get(HAS, { clientId })) !== undefined,

    async findKeys(clientId) {
      const row = await db.get<KeysRow>(FIND, { clientId });
      if (row === undefined) return undefined;
      const { jwks, jwksUri, readAt, freshUntil } = row;
      if (jwksUri === undefined) return { jwks: jwks ?? '', jwksUri };
      const cached =
        jwks !== undefined && readAt !== undefined && freshUntil !== undefined
          ? { jwks, readAt, freshUntil }
          : undefined;
      return { jwksUri, isPublicOnly: row.privateNetwork === 0, cached };
    },

    async saveReadKeys(source, keys) {
      await db.change(SAVE_READ, { ...source, ...keys });
    },
  };
}

type Keyed = Pick<KeysRow, 'jwks' | 'jwksUri'>;

/** Replaces or removes the keys of an application in the transaction of its change. Returns audited fields if they changed. */
export async function setClientKeys(
  tx: Statements,
  clientId: string,
  keys: ClientKeys | null,
): Promise<{ readonly before: AuditFields; readonly after: AuditFields } | undefined> {
  const before = await tx.get<Keyed>(FIND, { clientId });
  if (keys === null) {
    await tx.change(REMOVE, { clientId });
    return before && { before: audited(before), after: audited() };
  }
  const [jwks, jwksUri] = 'jwks' in keys ? [keys.jwks, undefined] : [undefined, keys.jwksUri];
  const privateNetwork = 'jwksUri' in keys && !keys.isPublicOnly ? 1 : 0;
  await tx.change(SET, { clientId, jwks: jwks ?? null, jwksUri: jwksUri ?? null, privateNetwork });
  if (before?.jwksUri === jwksUri && (jwksUri !== undefined || before?.jwks === jwks)) return undefined;
  return { before: audited(before), after: audited({ jwks, jwksUri }) };
}

/** Returns the SHA-256 of a set from a file, and the address of another one without secrets. */
const audited = ({ jwks, jwksUri }: Keyed = { jwks: undefined, jwksUri: undefined }): AuditFields => ({
  jwks: jwks === undefined || jwksUri !== undefined ? null : hash('sha256', jwks),
  jwks_uri: jwksUri === undefined ? null : auditedUrl(jwksUri),
});
