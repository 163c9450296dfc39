/** What an app is registered with at a provider, for whoever brings their own. */
import type { Scope } from '../oauth/scope.ts';

export type AppRegistration = {
  /** Where users sign in: the instance's choice for all apps. */
  readonly issuer: string;
  /** To be registered letter by letter. */
  readonly redirectUri: string;
  /** The provider's permissions that users are asked for where an application asks for a scope. */
  readonly permissions: Readonly<Record<Scope, readonly string[]>>;
  /** The instance's own app, which serves applications without one. */
  readonly instanceAppId: string | undefined;
};
