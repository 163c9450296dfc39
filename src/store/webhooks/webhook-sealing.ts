/** The sealed values of webhooks. Each names its row and field. */
import { type Sealer, sealedField } from '../../lib/sealing.ts';
import type { EndpointSecret } from '../../webhooks/message.ts';

export const messageContext = sealedField('webhook_message.body');
export const answerContext = sealedField('webhook_attempt.answer');
const secretsContext = sealedField('webhook_endpoint.secrets');

export type SealedSecrets = { readonly endpointId: string; readonly secrets: string | undefined };

/** Opens the secrets of an endpoint. Returns an empty list if no secret was created yet. */
export function openSecrets({ endpointId, secrets }: SealedSecrets, sealer: Sealer): EndpointSecret[] {
  // Sealed below in this shape.
  return secrets === undefined ? [] : JSON.parse(sealer.open(secrets, secretsContext(endpointId)));
}

export const sealSecrets = (endpointId: string, secrets: readonly EndpointSecret[], sealer: Sealer): string =>
  sealer.seal(JSON.stringify(secrets), secretsContext(endpointId));
