/** The applications registered with the sandbox's identity platform. */
import type { SandboxClock } from '../core/clock.ts';
import { clientCredentials } from '../core/request-credentials.ts';
import type { SandboxRequest } from '../core/sandbox-server.ts';
import { aadsts } from './aadsts.ts';

export type MicrosoftApp = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  /** Shown on the consent page. */
  readonly name?: string;
  /** Epoch milliseconds; a secret without it never expires, which the real platform does not offer. */
  readonly secretExpiresAt?: number;
};

/** By client id. */
export type Apps = Map<string, MicrosoftApp>;

export type AppDeps = { readonly apps: Apps; readonly clock: SandboxClock };

/** Proves the app's secret. Throws invalid_client. */
export function authenticatedApp(request: SandboxRequest, { apps, clock }: AppDeps): MicrosoftApp {
  const { clientId, clientSecret } = clientCredentials(request);
  if (!clientId) throw aadsts(90014);
  const app = apps.get(clientId);
  if (app === undefined) throw aadsts(700016);
  if (!clientSecret) throw aadsts(7000218);
  if (clientSecret !== app.clientSecret) throw aadsts(7000215);
  if (app.secretExpiresAt !== undefined && app.secretExpiresAt <= clock.now()) throw aadsts(7000222);
  return app;
}
