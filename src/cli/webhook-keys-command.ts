/** `kalends webhook rotate-keys`: what webhooks of all applications are signed with. */
import { rotateWebhookKeys } from '../webhooks/webhook-signer.ts';
import type { Command } from './command.ts';
import { overlapIn, overlapOption } from './option-values.ts';

export const rotateKeys: Command = {
  name: 'webhook rotate-keys',
  summary: 'Sign webhooks with a new key from now on',
  positionals: [],
  options: [overlapOption('How long the key before it goes on signing beside it', '7d')],
  notes: [
    'Works while servers run: they take the new key up within 30 seconds. Receivers keep fetched keys for a day at most; one that has a key written into its settings needs the new one before the overlap ends.',
  ],
  run: ({ options }, { withStorage, deps: { now } }) => {
    const overlapMs = overlapIn(options, '7d');
    return withStorage(async ({ webhookKeys, sealer }) => {
      const { keyId, retiresAt } = await rotateWebhookKeys(overlapMs, { webhookKeys, sealer, now });
      const ends = new Date(retiresAt).toISOString();
      const old =
        overlapMs === 0 ? 'The one before it is dead.' : `The one before it signs beside it until ${ends}.`;
      return {
        json: { id: keyId, previous_retires_at: ends },
        text: `Webhooks are signed with key ${keyId} from now on. ${old}`,
      };
    });
  },
};
