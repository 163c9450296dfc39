/** `kalends sandbox`: Kalends with four providers and an application of its own, to try and to test with. */
import { type Command, usageError } from './command.ts';

export const sandboxCommand: Command = {
  name: 'sandbox',
  summary: 'Try Kalends with providers, people and an application that all live on this machine',
  positionals: [],
  options: [],
  notes: [
    'Nothing leaves the machine, no settings are read, and Ctrl-C takes everything away, the data included. docs/sandbox.md has more.',
  ],
  async run(_, { json, deps }): Promise<number> {
    if (json) throw usageError('The sandbox has no --json: it runs until Ctrl-C.');
    return deps.runSandbox();
  },
};
