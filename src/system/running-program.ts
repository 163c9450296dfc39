/** The running program, as the dashboard shows it, and the operations that it offers. */
import type { Config, SettingInForce } from '../config/config.ts';
import { version } from '../lib/version.ts';
import { type Backups, backupsIn } from './backups.ts';
import { checkAll, type DoctorDeps } from './doctor.ts';
import type { Check } from './doctor-checks.ts';

export type RunningProgram = {
  readonly version: string;
  readonly node: string;
  readonly engine: 'sqlite' | 'postgres';
  readonly settings: readonly SettingInForce[];
  /** The algorithm of new signing keys. */
  readonly tokenAlgorithm: Config['tokenAlgorithm'];
  /** Checks everything that an operator can get wrong. A caller that comes during a check gets the same result. */
  check(): Promise<readonly Check[]>;
  /** Undefined with PostgreSQL, whose own tools make backups. */
  readonly backups: Backups | undefined;
  /** The interval of scheduled backups. */
  readonly backupEveryMs: number | undefined;
};

type ProgramDeps = DoctorDeps & {
  readonly backup: (file: string) => Promise<void>;
  readonly databaseBytes: () => Promise<number>;
};

/** Returns the program of this process. */
export function runningProgram(config: Config, deps: ProgramDeps): RunningProgram {
  let checking: Promise<readonly Check[]> | undefined;
  return {
    version: version(),
    node: process.versions.node,
    engine: config.databaseUrl === undefined ? 'sqlite' : 'postgres',
    settings: config.settings,
    tokenAlgorithm: config.tokenAlgorithm,
    check() {
      checking ??= checkAll(config, deps).finally(() => {
        checking = undefined;
      });
      return checking;
    },
    backupEveryMs: config.backups.everyMs,
    backups: config.databaseUrl === undefined ? backupsIn(config.backups.folder, deps) : undefined,
  };
}
