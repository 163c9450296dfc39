/** `kalends keys …`: the keys tokens are signed with. */
import { rotateSigningKeys } from '../oauth/signing-keys.ts';
import type { Command } from './command.ts';

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

export const keysCommands: readonly Command[] = [rotate];
