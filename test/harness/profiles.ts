/** Applications with the profile `fapi2`, whose other switches stay as they are. */
import type { Client } from '../../src/oauth/client.ts';
import type { ClientStore } from '../../src/oauth/client-store.ts';

/** Returns the store as it would be if the applications in `strict` had the profile. */
export const withProfiles = (clients: ClientStore, strict: ReadonlySet<string>): ClientStore => {
  const profileOf = ({ clientId, profile }: Client) => (strict.has(clientId) ? 'fapi2' : profile);
  return {
    ...clients,
    async findClient(clientId) {
      const client = await clients.findClient(clientId);
      return client && { ...client, profile: profileOf(client) };
    },
    async findClientWithSecrets(clientId, now) {
      const match = await clients.findClientWithSecrets(clientId, now);
      return match && { ...match, client: { ...match.client, profile: profileOf(match.client) } };
    },
  };
};
