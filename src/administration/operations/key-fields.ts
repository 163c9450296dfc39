/** The fields with which an application registers its public keys. */
import { SETTINGS } from '../../branding/settings-error.ts';
import { asObject, type Input, parsed, text } from '../../http/fields.ts';
import { ApiError } from '../../http/refusal.ts';
import type { ClientKeys } from '../../oauth/client-key-store.ts';
import { readKeySet } from '../../oauth/client-keys.ts';
import { MOST_URI_CHARACTERS, webhookUrlProblem } from '../../oauth/redirect-uri.ts';
import { may } from '../../people/permission.ts';
import type { Actor } from '../../people/person.ts';

export const KEY_FIELDS = {
  jwks: parsed((sent) => (sent === '' ? sent : asObject(sent)), {
    doc: 'The public keys for `client_authentication` `private_key_jwt`: a JWK Set of 1 to 10 keys for ES256, PS256 or Ed25519. They replace all earlier keys. An empty text removes them.',
    ...{ schema: { anyOf: [{ type: 'object' }, { const: '' }] }, problem: 'must be a JWK Set' },
  }),
  jwks_uri: text({
    ...{ max: MOST_URI_CHARACTERS, absent: 'never' },
    doc: 'The https URL of such a set instead, which is read again after 5 minutes to 24 hours. An empty text removes all keys.',
  }),
};

/** Returns the keys that were sent, null to remove all. Throws ApiError 400 for invalid ones. `clientId` is empty for a new application. */
export async function readSentKeys(
  { jwks, jwks_uri: jwksUri }: Input<typeof KEY_FIELDS>,
  actor: Actor,
  clientId: string,
): Promise<ClientKeys | null | undefined> {
  if (jwks && jwksUri) throw refusal('jwks', 'cannot be sent with jwks_uri');
  if (jwksUri) {
    const problem = webhookUrlProblem(jwksUri);
    if (problem !== undefined) throw refusal('jwks_uri', problem);
    return { jwksUri, isPublicOnly: !may(actor, 'endpoint.any_address', clientId) };
  }
  if (!jwks) return jwks === undefined && jwksUri === undefined ? undefined : null;
  const set = await readKeySet(jwks);
  if ('problem' in set) throw refusal('jwks', set.problem);
  return set;
}

const refusal = (field: string, problem: string): ApiError =>
  new ApiError(SETTINGS.invalid_client_metadata, { message: `${field} ${problem}`, field });
