/** Registration of applications and rotation of their secrets (docs/wire.md O2.1), by the operator only. */

import { randomInt } from 'node:crypto';
import type { By } from '../audit/audit-entry.ts';
import type { EditTerms } from '../branding/branding-store.ts';
import { SETTINGS } from '../branding/settings-error.ts';
import { ApiError } from '../http/refusal.ts';
import { hashOfSecret } from '../lib/sealing.ts';
import {
  type Client,
  type ClientChange,
  type ClientSettings,
  DEFAULT_SETTINGS,
  MOST_NAME_CHARACTERS,
  registeredUris,
} from './client.ts';
import type { ClientKeyStore, ClientKeys } from './client-key-store.ts';
import type { ClientStore } from './client-store.ts';
import { planProfile, profileProblems } from './profile.ts';
import { redirectUrisProblems, webhookUrlProblem } from './redirect-uri.ts';
import { switchProblems } from './switches.ts';

/** 119 bits, so that ids do not collide. */
const ID_CHARACTERS = 20;
/** 43 letters and digits hold 256 bits, so a plain hash keeps them (see hashOfSecret). */
const SECRET_CHARACTERS = 43;
/** Secret scanners recognize the secret by this prefix. Form encoding (RFC 6749 §2.3.1) does not change it. */
const SECRET_PREFIX = 'kalends_';

export type ClientRegistrationDeps = By & { readonly clients: ClientStore; readonly now: () => number };

export type ClientChangeDeps = ClientRegistrationDeps &
  Pick<EditTerms, 'ifVersion'> & { readonly clientKeys: Pick<ClientKeyStore, 'hasKeys'> };

type NewClient = {
  readonly name: string;
  readonly redirectUri: string;
  readonly displayName?: string | undefined;
  readonly webhookUrl?: string | undefined;
  /** Settings that are absent have their defaults. */
  readonly settings?: Partial<ClientSettings> | undefined;
  readonly keys?: ClientKeys | undefined;
};

/**
 * Registers an application. Only this result contains the secret, if it authenticates by one: the store has its hash.
 * Throws ApiError 400.
 */
export async function registerClient(
  { name, redirectUri, displayName, webhookUrl, settings, keys }: NewClient,
  { clients, now, by }: ClientRegistrationDeps,
): Promise<{ client: Client; clientSecret: string | undefined }> {
  const clientId = `proj${randomText(ID_CHARACTERS)}`;
  const facts = { clientId, name, displayName, redirectUri, webhookUrl, createdAt: now() };
  const profile = planProfile(DEFAULT_SETTINGS, settings?.profile, undefined);
  const client: Client = { ...DEFAULT_SETTINGS, ...profile?.switches, ...settings, ...facts };
  checkChange(client);
  const [problem] = redirectUrisProblems(registeredUris(client));
  if (problem !== undefined) throw new ApiError(SETTINGS.invalid_redirect_uri, problem);
  checkCombination(client);
  requireKeys(client, keys !== undefined);
  const clientSecret = client.clientAuthentication === 'secret' ? newClientSecret() : undefined;
  const secretHash = clientSecret === undefined ? undefined : hashOfSecret(clientSecret);
  await clients.createClient({ ...client, keys }, secretHash, by);
  return { client, clientSecret };
}

/**
 * Returns undefined if there is no such application, and a new secret if it authenticates by one again. Throws ApiError 400
 * for invalid values.
 */
export async function changeClient(
  {
    clientId,
    change,
    isDryRun = false,
  }: {
    readonly clientId: string;
    readonly change: Parameters<ClientStore['updateClient']>[1];
    /** Checks the change and saves nothing. */
    readonly isDryRun?: boolean;
  },
  { clients, clientKeys, now, by, ifVersion }: ClientChangeDeps,
): Promise<{ readonly client: Client; readonly clientSecret: string | undefined } | undefined> {
  checkChange(change);
  const hasKeys = change.keys === undefined ? await clientKeys.hasKeys(clientId) : change.keys !== null;
  let clientSecret: string | undefined;
  const newSecretHash = () => {
    clientSecret = newClientSecret();
    return hashOfSecret(clientSecret);
  };
  const terms = { now: now(), by, ifVersion };
  const undone = new Error('A dry run saves nothing');
  let checked: Client | undefined;
  const check = (changed: Client) => {
    checkCombination(changed);
    requireKeys(changed, hasKeys);
    checked = changed;
    if (isDryRun) throw undone;
  };
  const client = await clients
    .updateClient(clientId, { ...change, check, newSecretHash }, terms)
    .catch((reason: unknown) => {
      if (reason !== undone) throw reason;
      return checked;
    });
  return client && { client, clientSecret };
}

/** Throws ApiError 400 for switches that exclude each other. The store calls it in the transaction of a change. */
export function checkCombination(client: Client): void {
  const problems = [
    ...profileProblems(client),
    ...switchProblems({ ...client, redirectUris: registeredUris(client) }),
  ];
  const [problem] = problems;
  if (problem !== undefined) throw new ApiError(SETTINGS.invalid_client_metadata, problem);
}

/** Throws ApiError 400 if the application could not authenticate any more. */
function requireKeys({ profile, clientAuthentication: method }: Client, hasKeys: boolean): void {
  if (method !== 'private_key_jwt' || hasKeys) return;
  const name = profile === 'fapi2' ? 'profile "fapi2"' : `client_authentication "${method}"`;
  const problem = `${name} requires a public key: register one with jwks or jwks_uri`;
  throw new ApiError(SETTINGS.invalid_client_metadata, problem);
}

/**
 * Creates a secret. The newest previous one stays valid for `overlapMs`; `undefined` for an unknown application. Throws
 * ApiError 400 if the application does not authenticate by a secret.
 */
export async function rotateClientSecret(
  { clientId, overlapMs }: { readonly clientId: string; readonly overlapMs: number },
  { clients, now, by }: ClientRegistrationDeps,
): Promise<{ clientSecret: string; oldSecretExpiresAt: number } | undefined> {
  const { clientAuthentication } = (await clients.findClient(clientId)) ?? { clientAuthentication: 'secret' };
  if (clientAuthentication !== 'secret')
    throw new ApiError(SETTINGS.invalid_client_metadata, noSecret(clientAuthentication));
  const clientSecret = newClientSecret();
  const rotation = { clientId, secretHash: hashOfSecret(clientSecret), now: now() };
  const oldSecretExpiresAt = rotation.now + overlapMs;
  const exists = await clients.rotateSecret({ ...rotation, oldExpireAt: oldSecretExpiresAt, by });
  return exists ? { clientSecret, oldSecretExpiresAt } : undefined;
}

const noSecret = (method: string): string =>
  `client_authentication is "${method}", so there is no client secret: change it to "secret" to get one`;

/** Returns `kalends_` and 43 letters and digits. Older secrets have no prefix, and are equally secure. */
const newClientSecret = (): string => SECRET_PREFIX + randomText(SECRET_CHARACTERS);

/** Throws ApiError 400 with the codes of dynamic registration (RFC 7591 §3.2.2). */
function checkChange(change: Pick<ClientChange, CheckedField>): void {
  const [problem] = Object.values(changeProblems(change));
  if (problem !== undefined) throw new ApiError(SETTINGS.invalid_client_metadata, problem);
}

type CheckedField = 'name' | 'displayName' | 'webhookUrl';

/** A sentence for each invalid field; empty if all are valid. */
type ChangeProblems = Readonly<Partial<Record<CheckedField, string>>>;

/** Returns the reasons for which `registerClient` and `changeClient` would refuse these fields, all at once. */
export function changeProblems(change: Pick<ClientChange, CheckedField>): ChangeProblems {
  const checks: readonly [CheckedField, string, (text: string) => string | undefined][] = [
    ['name', 'name', nameProblem],
    ['displayName', 'display name', nameProblem],
    ['webhookUrl', 'webhook URL', webhookUrlProblem],
  ];
  return Object.fromEntries(
    checks.flatMap(([field, words, problemOf]) => {
      const text = change[field];
      const problem = typeof text === 'string' ? problemOf(text) : undefined;
      return problem === undefined ? [] : [[field, `The ${words} ${problem}`]];
    }),
  );
}

function nameProblem(text: string): string | undefined {
  if (text.trim() === '') return 'must not be empty';
  if (text.length > MOST_NAME_CHARACTERS) return `must not be longer than ${MOST_NAME_CHARACTERS} characters`;
  // Control and bidirectional-override characters could make a consent page read as something else.
  if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text)) return 'must not contain control characters';
  return undefined;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns `length` random letters and digits, evenly distributed: 5.95 bits of entropy each. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
