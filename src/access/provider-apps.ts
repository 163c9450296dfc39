/**
 * Which app signs users in at Google and Microsoft: the application's own, when it has one, else the
 * instance's. The one place that decides it, for the Connect pages and for the renewal of tokens.
 */

import type { ProviderApp } from '../calendars/calendar-provider.ts';
import type { ProviderKind } from '../calendars/provider-kind.ts';
import { ApiError } from '../http/api-error.ts';

/** The providers whose sign-in needs a registered app. */
export type AppKind = Extract<ProviderKind, 'google' | 'microsoft'>;

export const APP_KINDS: readonly AppKind[] = ['google', 'microsoft'];

/** The apps of the instance, as its configuration has them. */
export type InstanceApps = { readonly [kind in AppKind]?: ProviderApp | undefined };

/** The apps that applications brought along. `clientId` is the application's. Secrets are sealed at rest. */
export interface ProviderAppStore {
  findProviderApp(clientId: string, kind: AppKind): Promise<ProviderApp | undefined>;
  /** Sets or replaces it; false when there is no such application. */
  setProviderApp(clientId: string, kind: AppKind, app: ProviderApp, now: number): Promise<boolean>;
  /** False when none was set. */
  removeProviderApp(clientId: string, kind: AppKind): Promise<boolean>;
  /** Their ids by kind, without the secrets. */
  listProviderApps(clientId: string): Promise<Readonly<Partial<Record<AppKind, string>>>>;
}

export interface ProviderApps {
  /** The one to sign in with; `undefined` when none is set up, and for kinds that need none. */
  find(clientId: string, kind: ProviderKind): Promise<ProviderApp | undefined>;
  /**
   * The one whose id is `appClientId`, which tokens were issued to: no other can renew them. So accounts
   * linked before an application brought its own app go on with the instance's. `undefined` when neither is it.
   */
  findIssuer(clientId: string, kind: ProviderKind, appClientId: string): Promise<ProviderApp | undefined>;
}

/** The apps of applications before those of the instance. */
export function providerApps(
  own: Pick<ProviderAppStore, 'findProviderApp'>,
  instance: InstanceApps,
): ProviderApps {
  const candidates = async (clientId: string, kind: ProviderKind): Promise<(ProviderApp | undefined)[]> => {
    const appKind = APP_KINDS.find((known) => known === kind);
    if (appKind === undefined) return [];
    return [await own.findProviderApp(clientId, appKind), instance[appKind]];
  };
  return {
    async find(clientId, kind) {
      return (await candidates(clientId, kind)).find((app) => app !== undefined);
    },
    async findIssuer(clientId, kind, appClientId) {
      return (await candidates(clientId, kind)).find((app) => app?.clientId === appClientId);
    },
  };
}

/** Throws ApiError 400 for an id or secret that no provider can have given out. Empty ids are the caller's. */
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
    throw new ApiError(400, 'invalid_client_metadata', `The ${field} of the provider's app ${rule}`);
  }
}

const MOST_ID_CHARACTERS = 255;
const MOST_SECRET_CHARACTERS = 4096;
