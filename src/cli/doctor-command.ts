/** `kalends doctor`: checks everything an operator can get wrong, and says what to do about it. */
import { APP_KINDS } from '../access/provider-apps.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { Command, Context, Result } from './command.ts';
import { type Check, checkClock, checkDatabase, checkKeys, checkServer } from './doctor-checks.ts';
import {
  checkAddresses,
  checkEgress,
  checkFiles,
  checkProxy,
  checkUrl,
  providerAddresses,
} from './doctor-config-checks.ts';
import { checkProvider } from './doctor-provider-checks.ts';
import { checkPushes } from './doctor-push-check.ts';
import { tabulate } from './table.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check the configuration, keys, database, clock and addresses, and say what to do',
  positionals: [],
  options: [],
  notes: ['Changes nothing. Exit code 1 when a check fails; a warning alone is 0.'],
  async run(_, context) {
    let config: Config;
    try {
      config = context.config();
    } catch (reason) {
      if (!(reason instanceof ConfigError)) throw reason;
      const checks = reason.problems.map((problem) => ({
        name: 'configuration',
        status: 'fail' as const,
        message: `${problem}.`,
      }));
      return resultOf(checks, []);
    }
    return resultOf(await checksOf(config, context), providerAddresses(config));
  },
};

async function checksOf(config: Config, { io, deps }: Context): Promise<Check[]> {
  const report = await deps.inspectStorage(config);
  return [
    { name: 'configuration', status: 'ok', message: 'Every setting can be read.' },
    ...(await checkFiles(config)),
    checkDatabase(report),
    checkKeys(report, config),
    checkClock(report, deps.now()),
    checkEgress(config),
    checkUrl(config, io.env.KALENDS_URL !== undefined),
    checkProxy(config),
    checkAddresses(config),
    ...(await Promise.all(APP_KINDS.map((kind) => checkProvider(kind, config)))),
    checkPushes(report, config),
    await checkServer(config),
  ];
}

function resultOf(checks: readonly Check[], addresses: readonly string[]): Result {
  const failed = checks.filter(({ status }) => status === 'fail').length;
  const warned = checks.filter(({ status }) => status === 'warn').length;
  const rows = checks.map(({ name, status, message }) => [status, name, message]);
  const end =
    failed + warned === 0 ? 'Everything is in order.' : `${failed} problem(s), ${warned} warning(s).`;
  return {
    json: { ok: failed === 0, checks, addresses_to_register: addresses },
    text: `${tabulate(rows, { width: 110 })}\n\n${end}`,
    exitCode: failed === 0 ? 0 : 1,
  };
}
