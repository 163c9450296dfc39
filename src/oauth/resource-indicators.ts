/** Resource indicators (RFC 8707): the parameter `resource` of `/authorize`, `/par` and `/token`. */
import { asObject } from '../http/fields.ts';
import type { Client } from './client.ts';
import { AUTHORIZATION, OAuthError } from './oauth-error.ts';

type ResourceSwitch = Pick<Client, 'resourceIndicators'>;

export type ResourceDeps = {
  /** The only resource: the public origin. */
  readonly publicUrl: string;
};

/** Returns whether `resource` counts. Otherwise it is ignored like any unknown parameter. */
export const hasResources = ({ resourceIndicators }: ResourceSwitch): boolean => resourceIndicators === 'on';

/** Returns the requested resource, if there is one; `undefined` if a requested one is unknown. */
export function chooseResource(
  requested: readonly unknown[],
  client: ResourceSwitch,
  { publicUrl }: ResourceDeps,
): { readonly resource: string | undefined } | undefined {
  const resources = hasResources(client) ? requested.filter((value) => (value ?? '') !== '') : [];
  if (resources.some((value) => value !== publicUrl)) return undefined;
  return { resource: resources.length === 0 ? undefined : publicUrl };
}

/** Returns the requested resource, if there is one. Throws OAuthError `invalid_target`. */
export function readResource(
  requested: readonly unknown[],
  client: ResourceSwitch,
  deps: ResourceDeps,
): string | undefined {
  const chosen = chooseResource(requested, client, deps);
  if (chosen === undefined) throw new OAuthError(AUTHORIZATION.invalid_target);
  return chosen.resource;
}

/** Reads the field of a body, in which it can be repeated. Throws OAuthError `invalid_target`. */
export const readBodyResource = (
  body: unknown,
  client: ResourceSwitch,
  deps: ResourceDeps,
): string | undefined => readResource([asObject(body)?.resource].flat(), client, deps);
