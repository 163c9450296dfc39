/** The provider app that signs users in and renews tokens: the application's own, otherwise the instance's. */

import type { Caller, ChangeTerms } from '../audit/audit-entry.ts';
import { SETTINGS } from '../branding/settings-error.ts';
import type { ProviderApp } from '../calendars/calendar-provider.ts';
import { PROVIDER_FACTS, PROVIDER_KINDS, type ProviderKind } from '../calendars/provider-facts.ts';
import { ApiError } from '../http/refusal.ts';

/** The providers whose sign-in needs a registered app. */
export type AppKind = {
  [Kind in ProviderKind]: (typeof PROVIDER_FACTS)[Kind]['signIn'] extends 'redirect' ? Kind : never;
}[ProviderKind];

const hasApps = (kind: ProviderKind): kind is AppKind => PROVIDER_FACTS[kind].signIn === 'redirect';

export const APP_KINDS: readonly AppKind[] = PROVIDER_KINDS.filter(hasApps);

export const APP_NAMES: Readonly<Record<AppKind, string>> = { google: 'Google', microsoft: 'Microsoft' };

/** The apps of the instance, from its configuration. */
export type InstanceApps = { readonly [kind in AppKind]?: ProviderApp | undefined };

export type AppOwner = { readonly clientId: string; readonly kind: AppKind };

/** The apps that applications registered themselves. `clientId` is the application's. Secrets are sealed at rest. */
export interface ProviderAppStore {
  findProviderApp(clientId: string, kind: AppKind): Promise<ProviderApp | undefined>;
  /** Sets or replaces the app; returns false if the application does not exist. */
  setProviderApp(owner: AppOwner, app: ProviderApp, terms: ChangeTerms): Promise<boolean>;
  /** Removes the app; returns false if none was set. */
  removeProviderApp(clientId: string, kind: AppKind, by: Caller | undefined): Promise<boolean>;
  /** Returns the ids of the apps by kind, without the secrets. */
  listProviderApps(clientId: string): Promise<Readonly<Partial<Record<AppKind, string>>>>;
}

export interface ProviderApps {
  /** Returns the app to sign in with; `undefined` if none is set up, and for kinds that need none. */
  find(clientId: string, kind: ProviderKind): Promise<ProviderApp | undefined>;
  /** Returns the app that issued the tokens, since no other can renew them; `undefined` if neither app has that id. */
  findIssuer(clientId: string, kind: ProviderKind, appClientId: string): Promise<ProviderApp | undefined>;
}

/** Returns the apps, preferring those of applications to those of the instance. */
export function providerApps(
  store: Pick<ProviderAppStore, 'findProviderApp'>,
  instance: InstanceApps,
): ProviderApps {
  const candidates = async (clientId: string, kind: ProviderKind): Promise<(ProviderApp | undefined)[]> => {
    if (!hasApps(kind)) return [];
    return [await store.findProviderApp(clientId, kind), instance[kind]];
  };
  return {
    find: async (clientId, kind) => (await candidates(clientId, kind)).find((app) => app !== undefined),
    findIssuer: async (clientId, kind, appClientId) =>
      (await candidates(clientId, kind)).find((app) => app?.clientId === appClientId),
  };
}

/** Throws ApiError 400 for an id or secret that no provider can have issued. The caller must refuse empty ids. */
export function checkProviderApp(app: {
  readonly appClientId: string | undefined;
  readonly clientSecret: string | undefined;
}): void {
  for (const [field, text, most] of [
    ['id', app.appClientId, MOST_ID_CHARACTERS],
    ['secret', app.clientSecret, MOST_SECRET_CHARACTERS],
  ] as const) {
    if (text === undefined || (/^[\x21-\x7e]*$/.test(text) && text.length <= most)) continue;
    const rule = `must be at most ${most} printable ASCII characters without spaces`;
    throw new ApiError(SETTINGS.invalid_client_metadata, `The ${field} of the provider's app ${rule}`);
  }
}

const MOST_ID_CHARACTERS = 255;
const MOST_SECRET_CHARACTERS = 4096;
