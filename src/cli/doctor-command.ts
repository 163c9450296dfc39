/** `kalends doctor`: checks everything an operator can get wrong, and says what to do about it. */
import { type Config, ConfigError } from '../config/config.ts';
import { checkAll } from '../system/doctor.ts';
import type { Check } from '../system/doctor-checks.ts';
import { providerAddresses } from '../system/doctor-config-checks.ts';
import type { Command, Result } from './command.ts';
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
    return resultOf(await checkAll(config, context.deps), providerAddresses(config));
  },
};

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
