/** `kalends doctor`: checks the installation, and says how to fix each problem. */
import { type Config, ConfigError } from '../config/config.ts';
import { checkAll } from '../system/doctor.ts';
import type { Check } from '../system/doctor-checks.ts';
import { providerAddresses } from '../system/doctor-config-checks.ts';
import type { Command, Result } from './command.ts';
import { tabulate } from './help.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check the configuration, keys, database, clock and addresses',
  notes: ['Changes nothing. Says how to fix each problem. Exit code 1 if a check fails, 0 with warnings.'],
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
      return toResult(checks, []);
    }
    return toResult(await checkAll(config, context.deps), providerAddresses(config));
  },
};

function toResult(checks: readonly Check[], addresses: readonly string[]): Result {
  const failed = checks.filter(({ status }) => status === 'fail').length;
  const warned = checks.filter(({ status }) => status === 'warn').length;
  const rows = checks.map(({ name, status, message }) => [status, name, message]);
  const end = failed + warned === 0 ? 'No problems.' : `${failed} problem(s), ${warned} warning(s).`;
  return {
    json: { ok: failed === 0, checks, addresses_to_register: addresses },
    text: `${tabulate(rows, { width: 110 })}\n\n${end}`,
    exitCode: failed === 0 ? 0 : 1,
  };
}
