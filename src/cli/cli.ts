/** The command line: all commands, and the renderers of their operations. */
import type { AdminOperation } from '../administration/operations/operation.ts';
import { runChecksOperation } from '../administration/operations/system-operations.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { Members } from '../http/fields.ts';
import { within } from '../lib/within.ts';
import { checkAll } from '../system/doctor.ts';
import type { Check } from '../system/doctor-checks.ts';
import { providerAddresses } from '../system/doctor-config-checks.ts';
import { adminCommands } from './admin-commands.ts';
import { adminKeyCommands } from './admin-key-commands.ts';
import { alertCommands } from './alert-commands.ts';
import { applyCommand, exportCommand } from './apply-commands.ts';
import { backupCommand, restoreCommand } from './backup-commands.ts';
import { clientCommands } from './client-commands.ts';
import type { Command, CommandDeps, Io, Result } from './command.ts';
import { completionCommand } from './completion-command.ts';
import { connectionCommands } from './connection-commands.ts';
import { tabulate } from './help.ts';
import { keysCommands } from './keys-commands.ts';
import { listenCommand } from './listen-command.ts';
import { auditCommands, deliveryCommands, requestCommands } from './log-commands.ts';
import { migrateCommand } from './migrate-command.ts';
import { renderOutput, runAndPrint } from './operation-command.ts';
import { type Completed, rendering } from './rendering.ts';
import { runAmong } from './run-command.ts';
import { sandboxCommand } from './sandbox-command.ts';
import { serveCommand } from './serve-command.ts';
import { addressesIn, PATIENCE_MS, setupCommand } from './setup-commands.ts';
import { userCommands } from './user-commands.ts';
import { verificationCommands } from './verification-commands.ts';
import { webhookCommands } from './webhook-commands.ts';

const DOCTOR = rendering({ operation: runChecksOperation, render: ({ checks }) => renderChecks(checks) });

const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check the configuration, keys, database, clock and addresses',
  notes: ['Changes nothing. Says how to fix each problem. Exit code 1 if a check fails, 0 with warnings.'],
  renderings: [DOCTOR],
  async run(_, context) {
    if (context.isRemote) return context.withOperations((operations) => runAndPrint(DOCTOR, {}, operations));
    let config: Config;
    let inspected: ReturnType<CommandDeps['inspectStorage']>;
    try {
      inspected = context.deps.inspectStorage(context.config());
      config = context.configWith(addressesIn(await within(PATIENCE_MS, inspected)));
    } catch (reason) {
      if (!(reason instanceof ConfigError)) throw reason;
      const checks = reason.problems.map((problem) => ({
        name: 'configuration',
        status: 'fail' as const,
        message: `${problem}.`,
      }));
      return doctorResult(checks, []);
    }
    const checks = await checkAll(config, { ...context.deps, inspectStorage: () => inspected });
    return doctorResult(checks, providerAddresses(config));
  },
};

const doctorResult = (checks: readonly Check[], addresses: readonly string[]): Result => {
  const output = renderChecks(checks);
  return { json: { ok: output.exitCode === 0, checks, addresses_to_register: addresses }, ...output };
};

function renderChecks(checks: readonly Check[]) {
  const failed = checks.filter(({ status }) => status === 'fail').length;
  const warned = checks.filter(({ status }) => status === 'warn').length;
  const rows = checks.map(({ name, status, message }) => [status, name, message]);
  const end = failed + warned === 0 ? 'No problems.' : `${failed} problem(s), ${warned} warning(s).`;
  return {
    text: `${tabulate(rows, { width: 110 })}\n\n${end}`,
    exitCode: failed === 0 ? 0 : 1,
  };
}

/** All commands in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serveCommand,
  sandboxCommand,
  setupCommand,
  ...clientCommands,
  ...verificationCommands,
  ...userCommands,
  ...connectionCommands,
  ...adminCommands,
  ...adminKeyCommands,
  ...keysCommands,
  ...webhookCommands,
  ...deliveryCommands,
  ...requestCommands,
  listenCommand,
  applyCommand,
  exportCommand,
  ...auditCommands,
  ...alertCommands,
  backupCommand,
  restoreCommand,
  migrateCommand,
  doctorCommand,
  completionCommand(() => COMMANDS),
];

/** Runs the command in `argv`, without node and the program, and resolves to the exit code. Never throws. */
export const runCommand = (argv: readonly string[], io: Io, deps: CommandDeps): Promise<number> =>
  runAmong(COMMANDS, argv, { ...deps, io });

/** Returns the renderer of the command that runs an operation, for `--server`. */
export function findRenderer({ id }: Pick<AdminOperation, 'id'>) {
  const renderings = COMMANDS.flatMap((command) => command.renderings ?? []);
  const row = renderings.find(({ operation }) => operation.id === id);
  return row && ((result: unknown, done: Completed<Members>) => renderOutput(row, result, done));
}
