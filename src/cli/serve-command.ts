/** `kalends serve`: answers requests and runs jobs until it is told to stop. */
import { type Command, type Result, usageError } from './command.ts';

const ROLES = ['all', 'web', 'worker'] as const;

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Answer requests and do the background work',
  positionals: [],
  options: [
    {
      name: 'role',
      value: 'ROLE',
      doc: '`web` answers requests, `worker` does the background work, `all` does both. Wins over KALENDS_ROLE.',
    },
  ],
  notes: [
    'The first start makes the data folder, the keys and the database. SIGTERM or Ctrl-C ends it once running requests are answered, SIGTERM after KALENDS_DRAIN_SECONDS.',
  ],
  async run({ options }, { config, json, deps }): Promise<Result | undefined> {
    const role = ROLES.find((candidate) => candidate === (options.role ?? config().role));
    if (role === undefined)
      throw usageError(`--role must be one of ${ROLES.join(', ')}, not "${options.role}".`);
    const settings = config().settings.map((setting) =>
      setting.name === 'KALENDS_ROLE' && options.role !== undefined
        ? { ...setting, value: role, from: 'option' as const }
        : setting,
    );
    await deps.serve({ ...config(), role, settings }, { json });
    return undefined;
  },
};
