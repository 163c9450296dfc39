/** The values for registering an app at a provider, for customers who use their own app. */
import type { Scope } from '../oauth/scope.ts';

export type AppRegistration = {
  /** The issuer where users sign in: the instance's choice for all apps. */
  readonly issuer: string;
  /** Registered at the provider character by character. */
  readonly redirectUri: string;
  /** The provider's permissions that users are asked for, by the scope that an application requests. */
  readonly permissions: Readonly<Record<Scope, readonly string[]>>;
  /** The instance's app, which serves applications without their own. */
  readonly instanceAppId: string | undefined;
};
