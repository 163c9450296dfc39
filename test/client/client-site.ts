/** An application that uses the published client at a program, and whose user has a CalDAV account in the sandbox. */

import {
  type Kalends,
  type KalendsOptions,
  kalends,
  type TokenStore,
  type Tokens,
} from '../../packages/client/src/kalends.ts';
import { type CalDavSandbox, caldavSandbox } from '../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { type Browser, openBrowser } from '../e2e/browser.ts';
import { allow, type CalendarLogin, linkAccount } from '../e2e/flow.ts';
import { type Program, startProgram } from '../harness/program.ts';

export const ADA = 'ada@people.example';
export const STATE = 'unguessable state';

/** A request that the client sent, as method and path. */
export type Sent = { readonly request: string; readonly headers: Headers };

export type ClientSite = {
  readonly program: Program;
  readonly sandbox: CalDavSandbox;
  /** Ada's input in the form of her provider. */
  readonly login: CalendarLogin;
  /** The address of the calendar `Work`. */
  readonly calendarId: string;
  readonly options: KalendsOptions;
  readonly client: Kalends;
  /** Goes through the pages as Ada and returns the address of the callback. */
  authorize(userId: string, browser?: Browser): Promise<URL>;
  /** Returns a user's tokens after the whole flow. */
  tokensOf(userId: string): Promise<Tokens>;
  close(): Promise<void>;
};

/** Starts everything; the caller closes it. */
export async function openClientSite(): Promise<ClientSite> {
  const sandbox = await caldavSandbox({ kind: 'caldav', clock: sandboxClock(), faults: faultBoard() });
  await sandbox.manual.addPerson({ email: ADA, name: 'Ada' });
  const calendarId = await sandbox.manual.addCalendar(ADA, { title: 'Work', timeZone: 'Europe/Berlin' });
  const program = await startProgram().catch(async (reason) => {
    await sandbox.close();
    throw reason;
  });
  const options = { url: program.url, ...(await program.createClient()) };
  const client = kalends(options);
  const login = { server: sandbox.origin, username: ADA, password: sandbox.passwordOf(ADA) };

  const authorize: ClientSite['authorize'] = async (userId, browser = openBrowser()) => {
    const page = await browser.open(client.authorizationUrl({ userId, state: STATE, language: 'en' }));
    if (page.body.includes('Connect CalDAV') && !page.body.includes(ADA)) await linkAccount(browser, login);
    const { destination } = await allow(browser);
    if (destination === undefined) throw new Error('Allow led nowhere');
    return destination;
  };
  return {
    program,
    sandbox,
    login,
    calendarId,
    options,
    client,
    authorize,
    tokensOf: async (userId) =>
      client.completeAuthorization({ url: await authorize(userId), state: STATE, userId }),
    async close() {
      await program.dispose();
      await sandbox.close();
    },
  };
}

/** A store in memory that notes what was saved. */
export function memoryStore(tokens: Tokens): TokenStore & { tokens: Tokens; readonly saved: Tokens[] } {
  const saved: Tokens[] = [];
  return {
    tokens,
    saved,
    load() {
      return this.tokens;
    },
    save(next) {
      this.tokens = next;
      saved.push(next);
    },
  };
}

/** Changes the network for a request before the program receives it: returns its own response, or nothing. */
export type Interference = (request: string) => Response | undefined;

/** The runtime's fetch over a network that notes each request and may interfere. */
export function network(interfere: Interference = () => undefined) {
  const sent: Sent[] = [];
  const send: typeof fetch = async (input, init) => {
    const request = `${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`;
    sent.push({ request, headers: new Headers(init?.headers) });
    return interfere(request) ?? fetch(input, init);
  };
  return {
    fetch: send,
    sent,
    count: (request: string) => sent.filter((one) => one.request === request).length,
  };
}

/** Responds to the first `times` requests of this kind with `answer`. */
export function failing(request: string, times: number, answer: () => Response): Interference {
  let remaining = times;
  return (current) => (current === request && remaining-- > 0 ? answer() : undefined);
}
