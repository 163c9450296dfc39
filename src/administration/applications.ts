/** The actions on applications in the dashboard, and who may take them. The command line uses the same functions. */

import type { By } from '../audit/audit-entry.ts';
import type { Fact } from '../branding/branding.ts';
import type { EditTerms, LookChange } from '../branding/branding-store.ts';
import { readFact } from '../branding/look-input.ts';
import { SETTINGS } from '../branding/settings-error.ts';
import { ApiError, apiMessage } from '../http/refusal.ts';
import type { PrivateNetwork } from '../lib/egress/private-network.ts';
import type { Client, ClientChange, ClientSettings } from '../oauth/client.ts';
import { registeredUris } from '../oauth/client.ts';
import type { ClientKeyStore, ClientKeys } from '../oauth/client-key-store.ts';
import {
  changeClient,
  changeProblems,
  registerClient,
  rotateClientSecret,
} from '../oauth/client-registration.ts';
import type { ApplicationContents, ClientStore } from '../oauth/client-store.ts';
import { planRedirectUris, type RedirectUriChange, redirectUrisProblems } from '../oauth/redirect-uri.ts';
import { SWITCH_KEYS, SWITCHES, type SwitchKey } from '../oauth/switches.ts';
import type { TokenFamilyStore } from '../oauth/token-family-store.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { may, mustBeAllowed } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';
import type { EndpointStore } from '../webhooks/endpoint-store.ts';
import { firstEndpointId, makeFirstSecret } from '../webhooks/endpoints.ts';
import { FACTS, NEW_SETTINGS, type TextSettingKey } from './documents/application-settings.ts';
import { type WebhookAddress, webhookAddressProblem } from './webhook-address.ts';

export type ApplicationsDeps = {
  readonly clients: ClientStore;
  readonly clientKeys: Pick<ClientKeyStore, 'hasKeys'>;
  readonly endpoints: EndpointStore;
  /** The private addresses that deliveries may reach. */
  readonly privateNetwork: PrivateNetwork;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export const SETTINGS_FIELDS = [...NEW_SETTINGS, ...FACTS] as const;

/** The typed values by field; an empty text is no value. */
export type TypedSettings = Readonly<Record<TextSettingKey, string>>;
/** Absent and undefined values keep their settings. */
type ChangedSettings = Partial<Readonly<Record<TextSettingKey, string | undefined>>>;
export type NewApplication = Pick<TypedSettings, (typeof NEW_SETTINGS)[number]> & {
  readonly redirectUris: readonly string[];
};

/** Further options of a change, for the administration API. */
export type SettingsOptions = {
  readonly settings?: ClientSettingsChange;
  /** Whether another application may have its webhooks at the same URL. Only owners can set it. */
  readonly isShared?: boolean;
  /** Null removes all. */
  readonly keys?: ClientKeys | null | undefined;
};
type ClientSettingsChange = Pick<ClientChange, keyof ClientChange & keyof ClientSettings>;

/** Sentences by field. */
export type SettingsProblems = Readonly<Partial<Record<TextSettingKey, string>>> & {
  readonly redirectUris?: readonly string[];
};

/** Returns the applications that the actor may read, in order of creation. */
export async function readableApplications(
  actor: Actor,
  { clients }: Pick<ApplicationsDeps, 'clients'>,
): Promise<Client[]> {
  mustBeAllowed(actor, 'application.list');
  return (await clients.listClients()).filter(({ clientId }) => may(actor, 'application.read', clientId));
}

/** Returns the application. Throws PeopleRefusal `not_there` if it is absent or the actor may not read it. */
export async function readApplication(
  actor: Actor,
  clientId: string,
  { clients }: Pick<ApplicationsDeps, 'clients'>,
): Promise<Client> {
  mustBeAllowed(actor, 'application.read', clientId);
  return mustExist(await clients.findClient(clientId));
}

function mustExist<T>(found: T | undefined): T {
  if (found === undefined) throw new PeopleRefusal('not_there');
  return found;
}

/** An application, and its secrets, which are displayed only once. */
export type CreatedApplication = {
  readonly client: Client;
  readonly clientSecret: string | undefined;
  readonly webhookSecret: string | undefined;
};

/** Creates an application, or returns the problems and creates nothing. */
export async function createApplication(
  actor: Actor,
  { settings = {}, isShared = false, redirectUris, keys, ...typed }: NewApplication & SettingsOptions,
  deps: ApplicationsDeps & By,
): Promise<CreatedApplication | { readonly problems: SettingsProblems }> {
  mustBeAllowed(actor, 'application.create');
  const [redirectUri = '', ...furtherRedirectUris] = redirectUris;
  const input = {
    name: typed.name,
    displayName: typed.displayName || undefined,
    redirectUri,
    webhookUrl: typed.webhookUrl || undefined,
    settings: { ...toStoredSettings(settings), furtherRedirectUris },
    keys: keys ?? undefined,
  };
  const problems = await settingsProblems(actor, { clientId: '', typed, redirectUris, isShared }, deps);
  if (Object.keys(problems).length > 0) return { problems };
  const { client, clientSecret } = await registerClient(input, deps);
  const webhookSecret = await makeFirstSecret(firstEndpointId(client.clientId), deps);
  return { client, clientSecret, webhookSecret };
}

type Settings = {
  /** Empty for an application that does not exist yet. */
  readonly clientId: string;
  readonly typed: ChangedSettings;
  readonly redirectUris?: readonly string[] | undefined;
  readonly isShared: boolean;
};

/** Returns the problems that values would have if they were saved. Empty and absent texts have none, except for the name. */
export async function settingsProblems(
  actor: Actor,
  { clientId, typed, redirectUris = [], isShared }: Settings,
  deps: Pick<ApplicationsDeps, 'endpoints' | 'privateNetwork'>,
): Promise<SettingsProblems> {
  const { name, displayName, webhookUrl } = typed;
  return {
    ...(await addressProblems(actor, { url: webhookUrl || undefined, clientId, isShared }, deps)),
    ...changeProblems({ name, displayName: displayName || undefined, webhookUrl: webhookUrl || undefined }),
    ...uriProblems(redirectUrisProblems(redirectUris)),
    ...readFacts(typed).problems,
  };
}

/** Returns the change for the store, which checks it again. */
const toEdit = (change: RedirectUriChange) => (registered: readonly string[]) => {
  const { uris, problems } = planRedirectUris(registered, change);
  if (problems.length > 0) throw new ApiError(SETTINGS.invalid_redirect_uri, problems[0]);
  return uris;
};

const uriProblems = (problems: readonly string[]): SettingsProblems =>
  problems.length === 0 ? {} : { redirectUris: problems };

/** Returns the settings without absent ones. Without a limit of providers, `providers` is absent. */
const toStoredSettings = ({ providers, ...settings }: ClientSettingsChange): Partial<ClientSettings> =>
  // Entries whose value is undefined are left out, so that the defaults apply.
  Object.fromEntries(
    Object.entries({ ...settings, providers: providers ?? undefined }).filter(
      ([, value]) => value !== undefined,
    ),
  );

/** The secrets that a change created: of an endpoint that had none, of an application that authenticates by one again. */
export type ChangeSecrets = {
  readonly webhookSecret: string | undefined;
  readonly clientSecret: string | undefined;
};

/** Changes all of the typed settings or none; absent ones keep their values. */
export async function changeSettings(
  actor: Actor,
  {
    clientId,
    typed,
    settings,
    redirectUris,
    keys,
    isShared = false,
  }: SettingsOptions & {
    readonly clientId: string;
    readonly typed: ChangedSettings;
    readonly redirectUris?: RedirectUriChange | undefined;
  },
  deps: ApplicationsDeps & By & Pick<EditTerms, 'ifVersion'>,
): Promise<ChangeSecrets | { readonly problems: SettingsProblems }> {
  mustBeAllowed(actor, 'application.change', clientId);
  const before = mustExist(await deps.clients.findClient(clientId));
  const webhookUrl = typed.webhookUrl || undefined;
  // Setting the same address again would end a pause of its endpoint.
  const isMoved = typed.webhookUrl !== undefined && webhookUrl !== before.webhookUrl;
  const change = {
    ...settings,
    keys,
    name: typed.name,
    displayName: typed.displayName === '' ? null : typed.displayName,
    redirectUris: redirectUris && toEdit(redirectUris),
    ...(isMoved && { webhookUrl: webhookUrl ?? null }),
  };
  const look = readFacts(typed);
  const problems = {
    ...(await settingsProblems(
      actor,
      { clientId, isShared, typed: { ...typed, webhookUrl: isMoved ? webhookUrl : undefined } },
      deps,
    )),
    ...(redirectUris && uriProblems(planRedirectUris(registeredUris(before), redirectUris).problems)),
  };
  if (Object.keys(problems).length > 0) return { problems };
  const facts = Object.keys(look.change).length === 0 ? undefined : look.change;
  const changed = await changeClient({ clientId, change: { ...change, look: facts } }, deps);
  const { clientSecret } = mustExist(changed);
  const hasNewUrl = isMoved && webhookUrl !== undefined;
  const webhookSecret = hasNewUrl ? await makeFirstSecret(firstEndpointId(clientId), deps) : undefined;
  return { webhookSecret, clientSecret };
}

function readFacts(typed: ChangedSettings): {
  readonly change: Pick<LookChange, Fact>;
  readonly problems: SettingsProblems;
} {
  const change: Partial<Record<Fact, string | null | undefined>> = {};
  const problems: Partial<Record<Fact, string>> = {};
  for (const key of FACTS) {
    try {
      const fact = typed[key];
      if (fact !== undefined) change[key] = readFact(key, fact);
    } catch (refusal) {
      problems[key] = apiMessage(refusal);
    }
  }
  return { change, problems };
}

async function addressProblems(
  actor: Actor,
  { url, ...address }: Omit<WebhookAddress, 'url'> & { readonly url: string | undefined },
  deps: Pick<ApplicationsDeps, 'endpoints' | 'privateNetwork'>,
): Promise<SettingsProblems> {
  if (url === undefined) return {};
  const problem = await webhookAddressProblem(actor, { ...address, url }, deps);
  return problem === undefined ? {} : { webhookUrl: problem };
}

/** The changed settings. `providers` is `null` for all that the instance offers, `keys` to remove them. */
export type SecurityChange = ClientSettingsChange & Pick<ClientChange, 'keys'>;

/** The changed switches that affect living grants. They are saved if `confirmed` names them. */
type Unconfirmed = { readonly unconfirmed: readonly SwitchKey[] };

/**
 * Changes how its users connect and how strict its requests and tokens are. Returns a new secret if it authenticates by one
 * again. Changes nothing and returns the problem of a combination that is not allowed, or unconfirmed effects. Throws
 * PeopleRefusal.
 */
export async function changeSecurity(
  actor: Actor,
  {
    clientId,
    change,
    confirmed,
  }: { readonly clientId: string; readonly change: SecurityChange; readonly confirmed: readonly string[] },
  deps: ApplicationsDeps & By & { readonly families: Pick<TokenFamilyStore, 'countLivingGrants'> },
): Promise<Pick<ChangeSecrets, 'clientSecret'> | { readonly problem: string } | Unconfirmed> {
  mustBeAllowed(actor, 'application.change', clientId);
  const effects = SWITCH_KEYS.filter((key) => change[key] !== undefined && 'affectsGrants' in SWITCHES[key]);
  const isConfirmed =
    effects.every((key) => confirmed.includes(key)) ||
    (await deps.families.countLivingGrants(clientId, 1)) === 0;
  try {
    const changed = mustExist(await changeClient({ clientId, change, isDryRun: !isConfirmed }, deps));
    return isConfirmed ? changed : { unconfirmed: effects };
  } catch (refusal) {
    return { problem: apiMessage(refusal) };
  }
}

/** The new secret, and when the previous one expires. */
export type RotatedSecret = { readonly clientSecret: string; readonly oldSecretExpiresAt: number };

/** Rotates the application's client secret. Throws PeopleRefusal. */
export async function rotateSecret(
  actor: Actor,
  rotation: { readonly clientId: string; readonly overlapMs: number },
  deps: ApplicationsDeps & By,
): Promise<RotatedSecret> {
  mustBeAllowed(actor, 'application.secrets', rotation.clientId);
  return mustExist(await rotateClientSecret(rotation, deps));
}

export const MOST_COUNTED = 10_000;

/** Counts what deleting the application would delete. Throws PeopleRefusal. */
export async function countApplicationContents(
  actor: Actor,
  clientId: string,
  { clients }: Pick<ApplicationsDeps, 'clients'>,
): Promise<ApplicationContents> {
  mustBeAllowed(actor, 'application.delete', clientId);
  return clients.countContents(clientId, MOST_COUNTED + 1);
}

/** Deletes the application if `typedName` is its name, and returns whether it is. Throws PeopleRefusal. */
export async function deleteApplication(
  actor: Actor,
  { clientId, typedName }: { readonly clientId: string; readonly typedName: string },
  { clients, now, by }: Pick<ApplicationsDeps, 'clients' | 'now'> & By,
): Promise<boolean> {
  mustBeAllowed(actor, 'application.delete', clientId);
  const { name } = mustExist(await clients.findClient(clientId));
  if (typedName.trim() !== name.trim()) return false;
  await clients.deleteClient(clientId, now(), by);
  return true;
}
