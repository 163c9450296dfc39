/** `kalends keys …`: the keys tokens are signed with, and the master key. */
import { setTimeout as sleep } from 'node:timers/promises';
import { rotateSigningKeys } from '../oauth/signing-keys.ts';
import { type Rotation, RotationRefused, rotateMasterKey } from '../system/rotate-master-key.ts';
import { type Command, CommandError, type Result } from './command.ts';
import { terminalText } from './terminal-text.ts';

const rotate: Command = {
  name: 'keys rotate',
  summary: 'Sign tokens with a new key from now on',
  positionals: [],
  options: [],
  notes: [
    'Works while servers run: they take the new key up within 30 seconds, and tokens signed before stay valid, refresh tokens for as long as they live.',
  ],
  run: (_, { config, withStorage, deps }) =>
    withStorage(async ({ signingKeys, sealer }) => {
      const { tokenAlgorithm } = config();
      const kid = await rotateSigningKeys(tokenAlgorithm, { keys: signingKeys, sealer, now: deps.now });
      return {
        json: { kid, algorithm: tokenAlgorithm },
        text: `Tokens are signed with key ${kid} (${tokenAlgorithm}) from now on. Tokens signed before stay valid.`,
      };
    }),
};

const rotateMaster: Command = {
  name: 'keys rotate-master',
  summary: 'Seal everything under a new master key, while servers run',
  positionals: [],
  options: [],
  notes: [
    'Where the key is the file master.key, a new one is made and takes its place; the one before stays beside it, for backups that were made before. Where it is KALENDS_MASTER_KEY, restart every instance with the new key and with the one before as KALENDS_MASTER_KEY_PREVIOUS, then run this with both (docs/operations.md#changing-the-master-key).',
    'It can be ended and run again at any time: it goes on where it was.',
  ],
  run: (_, { io, json, withStorage, deps: { now } }) =>
    withStorage(async (storage) => {
      const tell = (progress: string) => {
        if (!json) io.stderr.write(`${terminalText(progress)}\n`);
      };
      try {
        const rotation = await rotateMasterKey({ ...storage, now, sleep, tell });
        return rotated(rotation, storage.masterKeys.source);
      } catch (reason) {
        if (reason instanceof RotationRefused) throw new CommandError('refused', reason.message);
        throw reason;
      }
    }),
};

function rotated({ keyId, previous, sealedAnew }: Rotation, source: 'folder' | 'settings'): Result {
  const count = Object.values(sealedAnew).reduce((sum, one) => sum + one, 0);
  const words = [
    `Everything is sealed under master key ${keyId}; ${count} value(s) were sealed anew.`,
    source === 'folder'
      ? 'Make a copy of master.key apart from the backups.'
      : 'KALENDS_MASTER_KEY_PREVIOUS is needed no more: take it out and restart the instances when it suits.',
    `Backups made before need the key ${previous ?? 'before'}: keep it as long as them.`,
  ];
  return {
    json: { key_id: keyId, previous_key_id: previous ?? null, sealed_anew: sealedAnew },
    text: words.join('\n'),
  };
}

export const keysCommands: readonly Command[] = [rotate, rotateMaster];
