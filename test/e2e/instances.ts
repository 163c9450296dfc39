/** Two instances of the program on one PostgreSQL, as behind a load balancer. */
import { randomBytes } from 'node:crypto';

import { type Program, startProgram } from '../harness/program.ts';
import { startRadicale } from '../servers/radicale.ts';
import type { Application } from './flow.ts';
import { loginOf } from './site.ts';

type Environment = Readonly<Record<string, string>>;

/** Two instances with one master key, the same application at each, and a calendar server. `own`: what each has in its environment. */
export async function openInstances(
  databaseUrl: string,
  own: readonly [Environment, Environment] = [{}, {}],
) {
  const calendars = await startRadicale();
  const started: Program[] = [];
  const close = async () => {
    for (const program of started) await program.dispose();
    await calendars.stop();
  };
  try {
    const env = { KALENDS_MASTER_KEY: randomBytes(32).toString('base64') };
    const first = await startProgram({ databaseUrl, env: { ...env, ...own[0] } });
    started.push(first);
    const second = await startProgram({ databaseUrl, env: { ...env, ...own[1] } });
    started.push(second);
    const registration = await first.createClient();
    const at = ({ url }: Program): Application => ({ ...registration, url });
    return {
      programs: [first, second] as const,
      applications: [at(first), at(second)] as const,
      login: loginOf(calendars, 'ada'),
      /** Starts one more, which is closed with the others. */
      async startAnother(): Promise<Application> {
        const another = await startProgram({ databaseUrl, env });
        started.push(another);
        return at(another);
      },
      close,
    };
  } catch (reason) {
    await close();
    throw reason;
  }
}

export type Instances = Awaited<ReturnType<typeof openInstances>>;
