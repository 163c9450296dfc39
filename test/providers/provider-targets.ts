/** The providers that one suite is played on: the sandbox's four, and real CalDAV servers. */
import { faultBoard } from '../../sandbox/core/faults.ts';
import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { counterpart } from '../harness/counterpart.ts';
import { serverManualChanges, userOf } from '../servers/caldav-manual.ts';
import { CYRUS, startCyrus } from '../servers/cyrus.ts';
import { type ManagedCalDavServer, USERS } from '../servers/process.ts';
import { RADICALE, startRadicale } from '../servers/radicale.ts';
import { startXandikos, XANDIKOS } from '../servers/xandikos.ts';
import {
  adapterDeps,
  type MovableTime,
  type SandboxOptions,
  type StartedProvider,
  signInByPassword,
  startSandbox,
} from './sandbox-provider.ts';

export type ProviderTarget = {
  /** For the titles of tests. */
  readonly name: string;
  readonly kind: ProviderKind;
  /** For `describe`. */
  readonly options: { readonly skip: string | false };
  /** Changes that a person cannot make there, with the reason. */
  readonly lacks: Partial<Record<Ability, string>>;
  /** Its people invite each other: what one does is in the calendars of others. */
  readonly schedules?: boolean;
  /** `options` are the sandbox's alone. */
  start(time: MovableTime, options?: SandboxOptions): Promise<StartedProvider>;
};

export type Ability =
  | 'calendars that can only be read'
  | 'names and zones of calendars'
  | 'backslashes before an n'
  | 'forgetting sync tokens';

/** So few that some answers have several pages. */
const PAGE_SIZE = 10;

const sandboxTarget = (name: string, kind: ProviderKind, schedules = false): ProviderTarget => ({
  name: `the sandbox’s ${name}`,
  kind,
  options: { skip: false },
  lacks: {},
  schedules,
  start: (time, options) => startSandbox(kind, time, { pageSize: PAGE_SIZE, schedules, ...options }),
});

export const SCHEDULING_TARGET = sandboxTarget('CalDAV that schedules', 'caldav', true);

export const SANDBOX_TARGETS: readonly ProviderTarget[] = [
  sandboxTarget('Google', 'google'),
  sandboxTarget('Microsoft', 'microsoft'),
  sandboxTarget('Apple', 'apple'),
  sandboxTarget('CalDAV', 'caldav'),
];

type Starting = (calendars: readonly string[]) => Promise<ManagedCalDavServer>;
const REAL = {
  'calendars that can only be read': 'its users can write to all that is theirs',
  'forgetting sync tokens':
    'it cannot be told to; test/contract/calendar-provider.contract.ts sends it one it never gave',
};

const serverTarget = (
  name: string,
  start: Starting,
  options: ProviderTarget['options'],
  lacks: ProviderTarget['lacks'] = {},
): ProviderTarget => ({
  name,
  kind: 'caldav',
  options,
  lacks: { ...REAL, ...lacks },
  start: async (time) => startedServer(await start([]), time),
});

export const RADICALE_TARGET = serverTarget('Radicale', startRadicale, counterpart('Radicale', RADICALE));
export const XANDIKOS_TARGET = serverTarget('Xandikos', startXandikos, counterpart('Xandikos', XANDIKOS), {
  'names and zones of calendars': 'it takes no properties with MKCALENDAR',
  'backslashes before an n': 'it stores them as line breaks',
});
export const CYRUS_TARGET = serverTarget('Cyrus', startCyrus, counterpart('Cyrus', CYRUS, { root: true }));

async function startedServer(server: ManagedCalDavServer, time: MovableTime): Promise<StartedProvider> {
  const adapter = adapterDeps(time);
  const provider = caldavProvider(adapter);
  const manual = serverManualChanges(server, () => time.now);
  return {
    manual: {
      ...manual,
      // Its users are there already.
      addPerson: (person) => manual.addPerson({ ...person, password: USERS[userOf(person.email)] ?? '' }),
    },
    provider,
    faults: faultBoard(),
    signIn(email) {
      const login = { server: server.typed, username: userOf(email), password: manual.passwordOf(email) };
      return signInByPassword(provider, login);
    },
    async close() {
      await adapter.egress.close();
      await server.stop();
    },
  };
}
