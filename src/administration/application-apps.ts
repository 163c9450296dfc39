/** An application's own apps at Google and Microsoft, and who may set them. Secrets are never returned. */
import type { AppRegistration } from '../access/app-registration.ts';
import { type AppVerdict, checkProviderAnswers } from '../access/provider-app-check.ts';
import { type AppKind, checkProviderApp, type ProviderAppStore } from '../access/provider-apps.ts';
import type { By } from '../audit/audit-entry.ts';
import type { AttemptLimit } from '../http/attempt-limit.ts';
import { apiMessage } from '../http/refusal.ts';
import type { Egress } from '../lib/egress/egress.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { mustBeAllowed } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';

export type ApplicationAppsDeps = {
  readonly providerApps: ProviderAppStore;
  readonly appRegistrations: Readonly<Record<AppKind, AppRegistration>>;
  /** Limits how often one application may have its apps checked. */
  readonly appChecks: AttemptLimit;
  readonly egress: Egress;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export type OwnApps = Readonly<Partial<Record<AppKind, string>>>;

/** Returns the client ids of the application's own apps. Throws PeopleRefusal. */
export async function ownApps(
  actor: Actor,
  clientId: string,
  { providerApps }: Pick<ApplicationAppsDeps, 'providerApps'>,
): Promise<OwnApps> {
  mustBeAllowed(actor, 'application.read', clientId);
  return providerApps.listProviderApps(clientId);
}

/** The values of the form. An empty secret keeps the existing one. */
export type TypedApp = {
  readonly clientId: string;
  readonly kind: AppKind;
  readonly appClientId: string;
  readonly clientSecret: string;
};

export type AppProblems = { readonly appClientId?: string; readonly clientSecret?: string };

/** Sets the app, or returns the problems and changes nothing. Throws PeopleRefusal. */
export async function setOwnApp(
  actor: Actor,
  { clientId, kind, appClientId, clientSecret }: TypedApp,
  { providerApps, now, by }: Pick<ApplicationAppsDeps, 'providerApps' | 'now'> & By,
): Promise<AppProblems> {
  mustBeAllowed(actor, 'application.secrets', clientId);
  const problems = findAppProblems({ appClientId, clientSecret });
  if (Object.keys(problems).length > 0) return problems;
  const before = (await providerApps.listProviderApps(clientId))[kind];
  if (clientSecret === '') {
    if (before === appClientId) return {};
    return { clientSecret: 'Enter the secret of this app: the stored one belongs to another app' };
  }
  const app = { clientId: appClientId, clientSecret };
  if (!(await providerApps.setProviderApp({ clientId, kind }, app, { now: now(), by })))
    throw new PeopleRefusal('not_there');
  return {};
}

function findAppProblems({ appClientId, clientSecret }: Required<AppProblems>): AppProblems {
  const idProblem =
    appClientId === '' ? 'Enter the client ID' : findAppProblem({ appClientId, clientSecret: undefined });
  const secretProblem = findAppProblem({ appClientId: undefined, clientSecret });
  return {
    ...(idProblem !== undefined && { appClientId: idProblem }),
    ...(secretProblem !== undefined && { clientSecret: secretProblem }),
  };
}

function findAppProblem(app: Parameters<typeof checkProviderApp>[0]): string | undefined {
  try {
    checkProviderApp(app);
    return undefined;
  } catch (refusal) {
    return apiMessage(refusal);
  }
}

/** Removes the application's own app. Throws PeopleRefusal. */
export async function removeOwnApp(
  actor: Actor,
  { clientId, kind }: Pick<TypedApp, 'clientId' | 'kind'>,
  { providerApps, by }: Pick<ApplicationAppsDeps, 'providerApps'> & By,
): Promise<void> {
  mustBeAllowed(actor, 'application.secrets', clientId);
  await providerApps.removeProviderApp(clientId, kind, by);
}

/** The provider's verdict; `wait` is the whole seconds until the next check is allowed, `none`: there is no app. */
export type AppCheck = { readonly verdict: AppVerdict | 'none' } | { readonly wait: number };

/** Checks the app at the instance's issuer of the provider, and at no other address. Throws PeopleRefusal. */
export async function checkOwnApp(
  actor: Actor,
  { clientId, kind }: Pick<TypedApp, 'clientId' | 'kind'>,
  { providerApps, appRegistrations, appChecks, egress }: ApplicationAppsDeps,
): Promise<AppCheck> {
  mustBeAllowed(actor, 'application.change', clientId);
  const wait = await appChecks(clientId);
  if (wait !== undefined) return { wait };
  const app = await providerApps.findProviderApp(clientId, kind);
  if (app === undefined) return { verdict: 'none' };
  const { verdict } = await checkProviderAnswers({ ...appRegistrations[kind], app }, egress);
  return { verdict };
}
