/** `kalends webhook rotate-keys` and `own-keys`: the keys that sign webhooks. */
import { rotateWebhookKeys } from '../webhooks/webhook-signer.ts';
import { CLIENT_ID, unknownClient } from './client-commands.ts';
import { type Command, CommandError, usageError } from './command.ts';
import { overlapIn, overlapOption } from './option-values.ts';

export const rotateKeys: Command = {
  name: 'webhook rotate-keys',
  summary: 'Sign webhooks with a new key of the instance, or of an application with own keys',
  positionals: [{ ...CLIENT_ID, optional: true }],
  options: [overlapOption('How long the previous key also signs', '7d')],
  notes: [
    'Servers can run meanwhile: they use the new key within 30 seconds. Receivers cache fetched keys for a day at most. A receiver with the key in its settings needs the new key before the overlap ends.',
  ],
  run: ({ positionals: { CLIENT_ID: clientId }, options }, { withStorage, deps: { now } }) => {
    const overlapMs = overlapIn(options, '7d');
    return withStorage(async ({ webhookKeys, sealer }) => {
      if (clientId !== undefined && (await webhookKeys.listKeyUses(clientId)).length === 0)
        throw unknownClient(clientId);
      const rotated = await rotateWebhookKeys(overlapMs, { webhookKeys, sealer, now }, clientId);
      if (rotated === undefined)
        throw new CommandError('instance_keys', `${clientId} has no own keys: run "webhook own-keys" first.`);
      const ends = new Date(rotated.retiresAt).toISOString();
      const old =
        overlapMs === 0 ? 'The previous key no longer signs.' : `The previous key also signs until ${ends}.`;
      return {
        json: { id: rotated.keyId, client_id: clientId ?? null, previous_retires_at: ends },
        text: `Webhooks are signed with key ${rotated.keyId} from now on. ${old}`,
      };
    });
  },
};

export const ownKeys: Command = {
  name: 'webhook own-keys',
  summary: 'Sign the webhooks of an application with its own keys, or with the keys of the instance',
  positionals: [CLIENT_ID, { name: 'on|off', doc: '`on`: its own keys. `off`: the keys of the instance.' }],
  options: [overlapOption('How long the keys used before also sign', '7d')],
  notes: [
    'Servers can run meanwhile: they use the other keys within 30 seconds. `/.well-known/webhook-keys/CLIENT_ID` lists the keys of the application. Its receivers need them before the overlap ends. If the application uses these keys already, the command can only end an overlap earlier.',
  ],
  run: ({ positionals, options }, { withStorage, deps: { now } }) => {
    const { CLIENT_ID: clientId = '', 'on|off': mode } = positionals;
    if (mode !== 'on' && mode !== 'off') throw usageError('Write on or off after the client id.');
    const keys = mode === 'on' ? 'own' : 'instance';
    const overlapUntil = now() + overlapIn(options, '7d');
    return withStorage(async ({ webhookKeys }) => {
      const use = await webhookKeys.switchWebhookKeys({ clientId, keys, overlapUntil });
      if (use === undefined) throw unknownClient(clientId);
      const ends = use.overlapUntil > now() ? new Date(use.overlapUntil).toISOString() : null;
      const overlap = ends === null ? '' : ` The keys used before also sign until ${ends}.`;
      return {
        json: { client_id: clientId, own_webhook_keys: mode === 'on', overlap_until: ends },
        text: `Webhooks of ${clientId} are signed with ${mode === 'on' ? 'its own keys' : 'the keys of the instance'} from now on.${overlap}`,
      };
    });
  },
};
