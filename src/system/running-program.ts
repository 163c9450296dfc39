/** The program that runs, as the dashboard shows it and what it can be asked to do. */
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
  /** What new signing keys are for. */
  readonly tokenAlgorithm: Config['tokenAlgorithm'];
  /** Looks at everything an operator can get wrong; who asks while it is done gets the same answer. */
  check(): Promise<readonly Check[]>;
  /** None with PostgreSQL, whose own tools make them. */
  readonly backups: Backups | undefined;
  /** How often one is made by itself. */
  readonly backupEveryMs: number | undefined;
};

type ProgramDeps = DoctorDeps & {
  readonly backup: (file: string) => Promise<void>;
  readonly databaseBytes: () => Promise<number>;
};

/** This process. */
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
