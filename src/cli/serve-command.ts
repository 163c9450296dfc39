/** `kalends serve`, without the modules of the other commands: a server starts sooner and takes less memory. */
import type { Command, CommandDeps, Io, Result } from './command.ts';
import { oneOf } from './option-values.ts';
import { runAmong } from './run-command.ts';

const ROLES = ['all', 'web', 'worker'] as const;

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Run the server: requests and background work',
  options: [
    {
      name: 'role',
      value: 'ROLE',
      doc: '`web` serves requests, `worker` does background work, `all` does both. Overrides KALENDS_ROLE.',
    },
  ],
  notes: [
    'The first start creates the data folder, the keys and the database. SIGTERM or Ctrl-C stops it after running requests have finished, SIGTERM after KALENDS_DRAIN_SECONDS.',
  ],
  async run({ options }, { config, json, deps }): Promise<Result | undefined> {
    const problem = `--role must be one of ${ROLES.join(', ')}, not "${options.role}".`;
    const role = oneOf(options.role, ROLES, problem) ?? config().role;
    const settings = config().settings.map((setting) =>
      setting.name === 'KALENDS_ROLE' && options.role !== undefined
        ? { ...setting, value: role, from: 'option' as const }
        : setting,
    );
    await deps.serve({ ...config(), role, settings }, { json });
    return undefined;
  },
};

/** Runs `serve` in `argv`, without node and the program, and resolves to the exit code. Never throws. */
export const runCommand = (argv: readonly string[], io: Io, deps: CommandDeps): Promise<number> =>
  runAmong([serveCommand], argv, { ...deps, io });
