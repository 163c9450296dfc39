/** `kalends keys …`: the signing key of tokens, and the master key. */
import { setTimeout as sleep } from 'node:timers/promises';
import { rotateTokenKeys } from '../administration/operations/signing-key-operations.ts';
import { type Rotation, rotateMasterKey } from '../system/rotate-master-key.ts';
import type { Command, Result } from './command.ts';
import { operationCommand } from './operation-command.ts';
import { terminalText } from './terminal-text.ts';

const rotate = operationCommand({
  name: 'keys rotate',
  summary: 'Sign tokens with a new key from now on',
  notes: [
    'Servers can run meanwhile: they use the new key within 30 seconds. Existing tokens stay valid, refresh tokens for their whole lifetime.',
  ],
  operation: rotateTokenKeys,
  input: () => ({}),
  render: ({ kid, algorithm }) => ({
    text: `Tokens are signed with key ${kid} (${algorithm}) from now on. Existing tokens stay valid.`,
  }),
});

const rotateMaster: Command = {
  name: 'keys rotate-master',
  summary: 'Seal everything under a new master key, while servers run',
  notes: [
    'If the key is the file master.key, this replaces it and keeps the previous key beside it, for existing backups. If the key is KALENDS_MASTER_KEY, first restart every instance with the new key and with the previous one as KALENDS_MASTER_KEY_PREVIOUS, then run this with both (docs/operations.md#changing-the-master-key).',
    'You can stop the command and run it again: it continues where it stopped.',
  ],
  run: (_, { io, json, withStorage, deps: { now } }) =>
    withStorage(async (storage) => {
      const tell = (progress: string) => {
        if (!json) io.stderr.write(`${terminalText(progress)}\n`);
      };
      const rotation = await rotateMasterKey({ ...storage, now, sleep, tell });
      return rotationResult(rotation, storage.masterKeys.source);
    }),
};

function rotationResult({ keyId, previous, sealedAnew }: Rotation, source: 'folder' | 'settings'): Result {
  const count = Object.values(sealedAnew).reduce((sum, sealed) => sum + sealed, 0);
  const lines = [
    `Everything is sealed under master key ${keyId}. ${count} value(s) were sealed again.`,
    source === 'folder'
      ? 'Copy master.key to a place apart from the backups.'
      : 'KALENDS_MASTER_KEY_PREVIOUS is not needed any more: remove it at the next restart of the instances.',
    `Older backups need the key ${previous ?? 'before'}: keep it as long as these backups.`,
  ];
  return {
    json: { key_id: keyId, previous_key_id: previous ?? null, sealed_anew: sealedAnew },
    text: lines.join('\n'),
  };
}

export const keysCommands: readonly Command[] = [rotate, rotateMaster];
