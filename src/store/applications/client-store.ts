/** ClientStore in SQL; held to test/contract/client-store.contract.ts on both databases. */
import type { AuditFields, By } from '../../audit/audit-entry.ts';
import { instantText } from '../../lib/rendered-json.ts';
import {
  type Client,
  type ClientChange,
  type ClientSettings,
  DEFAULT_SETTINGS,
  registeredUris,
  type UnstoredClient,
} from '../../oauth/client.ts';
import type { ApplicationContents, ClientStore, SecretRotation } from '../../oauth/client-store.ts';
import { type ProfileChange, planProfile } from '../../oauth/profile.ts';
import { eachSwitch, SWITCH_KEYS, type Switches, switchField } from '../../oauth/switches.ts';
import { auditFor } from '../audit/append-audit.ts';
import { changedSettings, createdSettings } from '../audit/audited-settings.ts';
import type { BatchStatement, Database, Statements } from '../drivers/database.ts';
import { keepFirstEndpoint, refuseFurther } from '../webhooks/first-endpoint.ts';
import { changeLook } from './branding-store.ts';
import { deleteClientInParts } from './client-deletion.ts';
import { setClientKeys } from './client-key-store.ts';
import {
  changeReviewed,
  FURTHER_REDIRECT_URIS,
  LOCK_APPLICATION,
  lockApplication,
  toUris,
} from './review-rows.ts';

type ClientRow = Switches & {
  clientId: string;
  name: string;
  displayName: string | undefined;
  redirectUri: string;
  furtherRedirectUris: string | undefined;
  webhookUrl: string | undefined;
  returningUsers: ClientSettings['returningUsers'];
  providers: string | undefined;
  createdAt: number;
};

const SWITCH_COLUMNS = SWITCH_KEYS.map(switchField).join(', ');
const SWITCH_VALUES = SWITCH_KEYS.map((key) => `:${key}`).join(', ');
const SWITCH_CHANGES = SWITCH_KEYS.map(
  (key) => `${switchField(key)} = COALESCE(:${key}, ${switchField(key)})`,
);

const SELECT = `
  SELECT a.client_id, name, display_name, redirect_uri, webhook_url, returning_users, providers,
         ${SWITCH_COLUMNS}, created_at, ${FURTHER_REDIRECT_URIS}`;

const FIND = `${SELECT} FROM application AS a WHERE client_id = :clientId`;
const FIND_TO_CHANGE = `${SELECT}, switches_before FROM application AS a WHERE client_id = :clientId`;
const FIND_BY_LABEL = `
  SELECT MIN(client_id) AS client_id FROM application WHERE LOWER(client_id) = :label HAVING COUNT(*) = 1`;
// Each secret as its hash, a space and its expiry. The caller checks the expiry, so that the row can be cached.
const FIND_WITH_SECRETS: BatchStatement = {
  columns: { clientId: 'TEXT' },
  sql: ({ value, andFrom }) => `${SELECT},
           (SELECT string_agg(s.secret_hash || ' ' || COALESCE(CAST(s.expires_at AS TEXT), ''), ',')
              FROM client_secret AS s WHERE s.client_id = a.client_id) AS secrets
      FROM application AS a${andFrom} WHERE a.client_id = ${value('clientId')}`,
  key: 'clientId',
  writes: false,
  readsTables: ['application', 'client_secret', 'redirect_uri'],
};

const CREATE = `
  INSERT INTO application (client_id, name, display_name, redirect_uri, webhook_url,
    returning_users, providers, created_at, updated_at, ${SWITCH_COLUMNS})
  VALUES (:clientId, :name, :displayName, :redirectUri, :webhookUrl, :returningUsers, :providers,
    :createdAt, :createdAt, ${SWITCH_VALUES})`;
const ADD_SECRET = `
  INSERT INTO client_secret (client_id, secret_hash, created_at) VALUES (:clientId, :secretHash, :now)`;
const UPDATE = `
  UPDATE application
     SET name = COALESCE(:name, name), redirect_uri = COALESCE(:redirectUri, redirect_uri),
         display_name = CASE WHEN :setDisplayName = 1 THEN :displayName ELSE display_name END,
         webhook_url = CASE WHEN :setWebhookUrl = 1 THEN :webhookUrl ELSE webhook_url END,
         returning_users = COALESCE(:returningUsers, returning_users),
         providers = CASE WHEN :setProviders = 1 THEN :providers ELSE providers END,
         switches_before = CASE WHEN :setProfile = 1 THEN :switchesBefore ELSE switches_before END,
         ${SWITCH_CHANGES.join(', ')}
   WHERE client_id = :clientId`;
const REMOVE_REDIRECT_URIS = 'DELETE FROM redirect_uri WHERE client_id = :clientId';
const ADD_REDIRECT_URI = `
  INSERT INTO redirect_uri (client_id, position, uri) VALUES (:clientId, :position, :uri)`;

const countText = (table: string): string =>
  `(SELECT COUNT(*) FROM (SELECT 1 FROM ${table} WHERE client_id = :clientId LIMIT :most) AS counted)`;
const COUNT_CONTENTS = `
  SELECT ${countText('application_user')} AS users, ${countText('account')} AS accounts,
         ${countText('webhook_endpoint')} AS endpoints`;

type RowWithSecrets = ClientRow & { secrets: string | undefined };
type ClientWithSecrets = { readonly client: Client; readonly secrets: readonly Secret[] };
type Secret = { readonly secretHash: string; readonly expiresAt: number | undefined };

/** Returns the store of applications with at most `most` webhook endpoints each. */
export function clientStore(db: Database, most = Number.POSITIVE_INFINITY): ClientStore {
  // SQLite's cache returns the same row until it changes: it is parsed once.
  const read = new WeakMap<RowWithSecrets, ClientWithSecrets>();
  const withSecrets = (row: RowWithSecrets): ClientWithSecrets => {
    const parsed = read.get(row) ?? { client: toClient(row), secrets: parseSecrets(row.secrets ?? '') };
    read.set(row, parsed);
    return parsed;
  };
  return {
    async findClient(clientId) {
      const row = await db.get<ClientRow>(FIND, { clientId });
      return row && toClient(row);
    },

    findClientIdByLabel: async (label) =>
      (await db.get<{ clientId: string }>(FIND_BY_LABEL, { label }))?.clientId,

    async findClientWithSecrets(clientId, now) {
      const row = await db.batch<RowWithSecrets>(FIND_WITH_SECRETS, { clientId });
      if (row === undefined) return undefined;
      const { client, secrets } = withSecrets(row);
      const valid = secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
      return { client, secretHashes: valid.map(({ secretHash }) => secretHash) };
    },

    async listClients() {
      const sql = `${SELECT} FROM application AS a ORDER BY created_at, a.client_id`;
      return (await db.all<ClientRow>(sql)).map(toClient);
    },

    async createClient(client, secretHash, by) {
      const { clientId, createdAt } = client;
      await db.transaction(async (tx) => {
        await tx.change(CREATE, createdValues(client));
        if (secretHash !== undefined) await tx.change(ADD_SECRET, { clientId, secretHash, now: createdAt });
        const keys = client.keys && (await setClientKeys(tx, clientId, client.keys))?.after;
        await replaceRedirectUris(tx, clientId, client.furtherRedirectUris ?? []);
        const first = { clientId, webhookUrl: client.webhookUrl ?? null, now: createdAt };
        await keepFirstEndpoint(tx, first, by);
        const after = { ...createdSettings({ ...DEFAULT_SETTINGS, ...client }), ...keys };
        await auditFor(tx, by, { action: 'client.created', clientId, after });
      });
    },

    async updateClient(clientId, { look, redirectUris, check, ...change }, { now, by, ifVersion }) {
      const { webhookUrl, keys } = change;
      const row = await db.transaction(async (tx) => {
        if (!(await lockApplication(tx, clientId, { now, ifVersion }))) return undefined;
        const before = await tx.get<ClientRow & Pick<ProfileChange, 'switchesBefore'>>(FIND_TO_CHANGE, {
          clientId,
        });
        const profile = before && planProfile(before, change.profile, before.switchesBefore ?? undefined);
        if (before?.webhookUrl === undefined && webhookUrl) await refuseFurther(tx, clientId, most);
        const updated = await changeReviewed(tx, { clientId, now, by }, async () => {
          const [redirectUri, ...further] =
            (before && redirectUris?.(registeredUris(toClient(before)))) ?? [];
          if (redirectUri !== undefined) await replaceRedirectUris(tx, clientId, further);
          const values = { redirectUri: redirectUri ?? null, ...changedValues(change, profile) };
          await tx.change(UPDATE, { clientId, ...values });
          return tx.get<ClientRow>(FIND, { clientId });
        });
        if (updated) check?.(toClient(updated));
        if (updated !== undefined && webhookUrl !== undefined)
          await keepFirstEndpoint(tx, { clientId, webhookUrl, now }, by);
        if (before && updated) await changeSecrets(tx, { before, updated, now, ...change });
        const settings = before && updated && changedSettings(toClient(before), toClient(updated));
        const changed = joined(
          settings,
          keys === undefined ? undefined : await setClientKeys(tx, clientId, keys),
        );
        if (changed) await auditFor(tx, by, { action: 'client.updated', clientId, ...changed });
        if (look !== undefined) await changeLook(tx, look, { clientId, now, by });
        return updated;
      });
      return row && toClient(row);
    },

    rotateSecret(rotation) {
      return db.transaction((tx) => rotateSecret(tx, rotation));
    },

    deleteClient(clientId, now, by) {
      return deleteClientInParts(db, { clientId, now, by });
    },

    async countContents(clientId, most) {
      const row = await db.get<ApplicationContents>(COUNT_CONTENTS, { clientId, most });
      return { users: 0, accounts: 0, endpoints: 0, ...row };
    },
  };
}

// Lists the fields, since a row can also have the hashes of secrets.
function toClient(row: ClientRow): Client {
  const { clientId, name, redirectUri, returningUsers, createdAt } = row;
  const optional = { displayName: row.displayName, webhookUrl: row.webhookUrl };
  const providers = row.providers?.split(',');
  const furtherRedirectUris = toUris(row.furtherRedirectUris);
  const switches = eachSwitch((key) => row[key]) as Switches; // the columns have its values
  const settings = { furtherRedirectUris, returningUsers, providers, ...switches };
  return { clientId, name, redirectUri, ...settings, createdAt, ...optional };
}

function parseSecrets(list: string): Secret[] {
  return list.split(',').flatMap((secret) => {
    const [secretHash = '', expiresAt = ''] = secret.split(' ');
    return secretHash === ''
      ? []
      : [{ secretHash, expiresAt: expiresAt === '' ? undefined : Number(expiresAt) }];
  });
}

async function replaceRedirectUris(
  tx: Statements,
  clientId: string,
  further: readonly string[],
): Promise<void> {
  await tx.change(REMOVE_REDIRECT_URIS, { clientId });
  for (const [i, uri] of further.entries())
    await tx.change(ADD_REDIRECT_URI, { clientId, position: i + 1, uri });
}

const providersText = (providers: readonly string[] | null | undefined): string | null =>
  providers?.join(',') ?? null;

function createdValues(client: UnstoredClient) {
  const { clientId, name, displayName, redirectUri, webhookUrl, createdAt } = client;
  const { providers, ...all } = { ...DEFAULT_SETTINGS, ...client };
  const optional = { displayName: displayName ?? null, webhookUrl: webhookUrl ?? null };
  const settings = { ...eachSwitch((key) => all[key]), returningUsers: all.returningUsers };
  const facts = { clientId, name, redirectUri, createdAt, ...optional };
  return { ...facts, ...settings, providers: providersText(providers) };
}

type ChangedFields = { readonly before: AuditFields; readonly after: AuditFields };

const joined = (one: ChangedFields | undefined, other: ChangedFields | undefined) =>
  one && other
    ? { before: { ...one.before, ...other.before }, after: { ...one.after, ...other.after } }
    : (one ?? other);

type Authentication = Pick<ClientRow, 'clientId' | 'clientAuthentication'>;

/** Deletes all secrets of an application that authenticates differently now, or adds a new one. */
async function changeSecrets(
  tx: Statements,
  change: {
    before: Authentication;
    updated: Authentication;
    now: number;
    newSecretHash?: (() => string) | undefined;
  },
): Promise<void> {
  const { before, updated, now, newSecretHash } = change;
  const { clientId, clientAuthentication } = updated;
  if (clientAuthentication === before.clientAuthentication) return;
  await tx.change('DELETE FROM client_secret WHERE client_id = :clientId', { clientId });
  if (clientAuthentication === 'secret' && newSecretHash !== undefined)
    await tx.change(ADD_SECRET, { clientId, secretHash: newSecretHash(), now });
}

function changedValues(change: ClientChange, profile: ProfileChange | undefined) {
  const { name, displayName, webhookUrl, providers } = change;
  return {
    name: name ?? null,
    ...eachSwitch((key) => change[key] ?? profile?.switches[key] ?? null),
    returningUsers: change.returningUsers ?? null,
    setProfile: profile === undefined ? 0 : 1,
    switchesBefore: profile?.switchesBefore ?? null,
    // null removes these three, so a separate value says whether they change.
    setDisplayName: displayName === undefined ? 0 : 1,
    displayName: displayName ?? null,
    setWebhookUrl: webhookUrl === undefined ? 0 : 1,
    webhookUrl: webhookUrl ?? null,
    setProviders: providers === undefined ? 0 : 1,
    providers: providersText(providers),
  };
}

async function rotateSecret(tx: Statements, { by, ...rotation }: SecretRotation & By): Promise<boolean> {
  // Writes the application's row first, which serializes rotations of its secrets.
  if ((await tx.change(LOCK_APPLICATION, rotation)) === 0) return false;
  // Exactly one secret has no expiry: the newest. The others were replaced before.
  await tx.change(
    'DELETE FROM client_secret WHERE client_id = :clientId AND expires_at IS NOT NULL',
    rotation,
  );
  await tx.change('UPDATE client_secret SET expires_at = :oldExpireAt WHERE client_id = :clientId', rotation);
  await tx.change(ADD_SECRET, rotation);
  await auditFor(tx, by, {
    action: 'client.secret_rotated',
    clientId: rotation.clientId,
    after: { old_secret_expires_at: instantText(rotation.oldExpireAt) },
  });
  return true;
}
