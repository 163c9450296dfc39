/** The running program and its operations, for the dashboard. */
import type { AppKind } from '../access/provider-apps.ts';
import type { ProviderApp } from '../calendars/calendar-provider.ts';
import type { Config, SettingInForce } from '../config/config.ts';
import { version } from '../lib/version.ts';
import { type Backups, backupsIn } from './backups.ts';
import type { DoctorDeps } from './doctor.ts';
import type { Check } from './doctor-checks.ts';
import { providerAddresses } from './doctor-config-checks.ts';
import { type ProviderSetup, type RequestedScope, readProviderSetup } from './provider-setup.ts';

export type RunningProgram = {
  readonly version: string;
  readonly node: string;
  readonly engine: 'sqlite' | 'postgres';
  readonly settings: readonly SettingInForce[];
  /** The addresses to register at Google and Microsoft. */
  readonly providerAddresses: readonly string[];
  readonly tokenAlgorithm: Config['tokenAlgorithm'];
  /** Runs all checks, or those called `name`. Concurrent callers share a result. */
  check(name?: string): Promise<readonly Check[]>;
  /** Returns how to register a provider app, and the check of `app` or of the configured one. Throws ApiError 400. */
  setup(kind: AppKind, app: ProviderApp | undefined): Promise<ProviderSetup>;
  /** Undefined with PostgreSQL, which has its own backup tools. */
  readonly backups: Backups | undefined;
  /** The interval of scheduled backups, in milliseconds. */
  readonly backupEveryMs: number | undefined;
};

type ProgramDeps = DoctorDeps & {
  readonly requestedScope: RequestedScope;
  readonly backup: (file: string) => Promise<void>;
  readonly databaseBytes: () => Promise<number>;
};

export function runningProgram(config: Config, deps: ProgramDeps): RunningProgram {
  const checking = new Map<string | undefined, Promise<readonly Check[]>>();
  const runChecks = async (name: string | undefined): Promise<readonly Check[]> => {
    const { checkAll } = await import('./doctor.ts');
    return checkAll(config, deps, name);
  };
  return {
    version: version(),
    node: process.versions.node,
    engine: config.databaseUrl === undefined ? 'sqlite' : 'postgres',
    settings: config.settings,
    providerAddresses: providerAddresses(config),
    tokenAlgorithm: config.tokenAlgorithm,
    check(name) {
      const running = checking.get(name) ?? runChecks(name).finally(() => checking.delete(name));
      checking.set(name, running);
      return running;
    },
    setup: (kind, app) => readProviderSetup(kind, app, { ...deps, config }),
    backupEveryMs: config.backups.everyMs,
    backups: config.databaseUrl === undefined ? backupsIn(config.backups.folder, deps) : undefined,
  };
}
