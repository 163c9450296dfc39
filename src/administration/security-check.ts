/** Checks an application against a profile, for `client check` and the dashboard. */
import type { Client } from '../oauth/client.ts';
import type { ClientKeyStore } from '../oauth/client-key-store.ts';
import { isSecureOrigin, profileRequirements } from '../oauth/profile.ts';
import { SWITCHES, type Switches, switchField, switchText } from '../oauth/switches.ts';
import type { TokenFamilyStore } from '../oauth/token-family-store.ts';
import type { Actor } from '../people/person.ts';
import { type ApplicationsDeps, MOST_COUNTED, readApplication } from './applications.ts';

export type Requirement = {
  /** `keys`, `https`, or the field of a switch. */
  readonly name: string;
  readonly text: string;
  /** The problem and how to fix it. Undefined if the requirement is met. */
  readonly missing: string | undefined;
};

/** Living grants are counted up to 10,001. */
export type SecurityCheck = {
  readonly client: Client;
  readonly profile: Switches['profile'];
  readonly requirements: readonly Requirement[];
  readonly livingGrants: number;
};

export type SecurityCheckDeps = Pick<ApplicationsDeps, 'clients'> & {
  readonly clientKeys: Pick<ClientKeyStore, 'hasKeys'>;
  readonly families: Pick<TokenFamilyStore, 'countLivingGrants'>;
  /** The origin of the server. */
  readonly url: string;
};

/** Checks an application against a profile, by default its own. Throws PeopleRefusal. */
export async function checkApplication(
  actor: Actor,
  { clientId, profile }: { readonly clientId: string; readonly profile?: Switches['profile'] | undefined },
  deps: SecurityCheckDeps,
): Promise<SecurityCheck> {
  const client = await readApplication(actor, clientId, deps);
  const hasKeys = await deps.clientKeys.hasKeys(clientId);
  const checked = profile ?? client.profile;
  const requirements = requirementsOf({ ...client, profile: checked }, { hasKeys, url: deps.url });
  const livingGrants = await deps.families.countLivingGrants(clientId, MOST_COUNTED + 1);
  return { client, profile: checked, requirements, livingGrants };
}

/** Returns the requirements of the profile of `values`. */
export function requirementsOf(
  values: Switches,
  { hasKeys, url }: { readonly hasKeys: boolean; readonly url: string },
): Requirement[] {
  const https = {
    ...{ name: 'https', text: 'KALENDS_URL is https, or on this machine' },
    missing: isSecureOrigin(url) ? undefined : `KALENDS_URL is ${url}: put a proxy with TLS in front`,
  };
  const isFapi2 = values.profile === 'fapi2';
  const needsKeys = isFapi2 || values.clientAuthentication === 'private_key_jwt';
  const keys = {
    ...{ name: 'keys', text: 'a public key is registered' },
    missing: hasKeys ? undefined : 'register a JWKS with client update --jwks FILE or --jwks-uri URL',
  };
  const ofProfile = isFapi2 ? profileRequirements(values).filter(({ key }) => key !== 'profile') : [];
  const ofSwitches = ofProfile.map(({ key, text, isMet }) => ({
    ...{ name: switchField(key), text },
    missing: isMet
      ? undefined
      : `${SWITCHES[key].label} is ${switchText(key, values[key])}: the profile sets it`,
  }));
  return [https, ...(needsKeys ? [keys] : []), ...ofSwitches];
}
