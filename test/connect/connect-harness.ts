/** The Connect pages on real stores in a SQLite file, and a browser that speaks HTTP and stores cookies. */

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { providerApps } from '../../src/access/provider-apps.ts';
import { logoRoute } from '../../src/branding/logo.route.ts';
import type {
  PasswordLogin,
  PasswordProvider,
  PasswordSignIn,
  ProviderCredentials,
} from '../../src/calendars/calendar-provider.ts';
import { ProviderError } from '../../src/calendars/provider-error.ts';
import { PROVIDER_KINDS } from '../../src/calendars/provider-facts.ts';
import { authorizeRoute } from '../../src/connect/authorize.route.ts';
import { connectRoutes } from '../../src/connect/connect.route.ts';
import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import type { ConnectDeps } from '../../src/connect/flow/connect-deps.ts';
import { formSlots } from '../../src/connect/flow/form-slots.ts';
import { createServer } from '../../src/http/server.ts';
import { createSealer, type Sealer } from '../../src/lib/sealing.ts';
import { type Client, DEFAULT_SETTINGS } from '../../src/oauth/client.ts';
import { createIssuer } from '../../src/oauth/issuers.ts';
import { appSpecificPassword } from '../../src/providers/apple/apple-provider.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores, type Stores } from '../../src/store/open-stores.ts';
import { collectedActivity } from '../harness/activity-notes.ts';
import { GENEROUS } from '../harness/connect-limits.ts';
import { FakeSignInProvider } from '../harness/fake-sign-in-provider.ts';
import { openMigratedSqlite } from '../harness/migrated.ts';
import { withProfiles } from '../harness/profiles.ts';

export const ACME: Client = {
  ...DEFAULT_SETTINGS,
  clientId: 'acme',
  name: 'acme internal',
  displayName: 'Acme Planner',
  redirectUri: 'https://app.example.com/callback',
  webhookUrl: undefined,
  createdAt: 1,
};

export type Harness = {
  readonly app: FastifyInstance;
  readonly db: Database;
  readonly sealer: Sealer;
  readonly deps: ConnectDeps;
  readonly logged: { readonly level: string; readonly fields: object; readonly message: string }[];
  readonly codes: Stores['codes'];
  readonly clients: Stores['clients'];
  readonly looks: Stores['branding'];
  readonly verification: Stores['verification'];
  readonly accounts: Stores['accounts'];
  readonly pushedRequests: Stores['pushedRequests'];
  /** The applications with the profile `fapi2`. */
  readonly strict: Set<string>;
  /** Advances the clock. */
  readonly pass: (milliseconds: number) => void;
  readonly close: () => Promise<void>;
};

type Changes = Partial<
  Pick<
    ConnectDeps,
    | 'providers'
    | 'publicUrl'
    | 'attempts'
    | 'formSlots'
    | 'users'
    | 'apps'
    | 'signInOrigins'
    | 'operatorName'
    | 'offeredProviders'
    | 'mostOpenRequests'
    | 'accountLimits'
    | 'activityNotes'
  >
>;

/** Opens the pages with application ACME, on their own database. */
export async function openConnect(changes: Changes = {}): Promise<Harness> {
  const file = path.join(tmpdir(), `kalends-connect-${randomUUID()}.db`);
  const db = await openMigratedSqlite(file);
  let clock = Date.UTC(2026, 10, 20);
  const logged: { level: string; fields: object; message: string }[] = [];
  const to = (level: string) => (fields: object, message: string) => {
    logged.push({ level, fields, message });
  };
  const log = { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error') };
  const sealer = createSealer(randomBytes(32));
  const stores = openStores(db, { sealer });
  const strict = new Set<string>();
  const { clients, branding: looks, verification, accounts, codes, pushedRequests } = stores;
  const deps: ConnectDeps = {
    ...stores,
    clients: withProfiles(clients, strict),
    sealer,
    operatorName: undefined,
    providers: {
      google: new FakeSignInProvider('google', () => clock),
      microsoft: new FakeSignInProvider('microsoft', () => clock),
      apple: passwordProvider('apple'),
      caldav: passwordProvider('caldav'),
    },
    apps: providerApps(stores.providerApps, {}),
    signInOrigins: [],
    offeredProviders: PROVIDER_KINDS,
    mostOpenRequests: 20_000,
    accountLimits: { ofPerson: 1e6, ofUser: 1e6 },
    publicUrl: 'http://127.0.0.1:8080',
    attempts: connectAttempts(GENEROUS),
    formSlots: formSlots(1_000),
    activityNotes: collectedActivity(),
    log,
    now: () => clock,
    ...changes,
  };
  await clients.createClient(ACME, 'unused', undefined);
  const app = createServer({ log, trustProxy: undefined, secure: false });
  app.register(connectRoutes(deps));
  app.register(logoRoute({ branding: looks }));
  const [issuer, atStrict] = [createIssuer('default', deps.publicUrl), createIssuer('fapi2', deps.publicUrl)];
  app.register(authorizeRoute({ ...deps, issuer }), { prefix: '/api/oauth' });
  app.register(authorizeRoute({ ...deps, issuer: atStrict }), { prefix: atStrict.prefix });
  await app.ready();

  const close = async () => {
    await app.close();
    await db.close();
    for (const suffix of ['', '-wal', '-shm']) await rm(file + suffix, { force: true });
  };
  const pass = (milliseconds: number) => {
    clock += milliseconds;
  };
  return {
    app,
    db,
    sealer,
    deps,
    logged,
    codes,
    clients,
    looks,
    verification,
    accounts,
    pushedRequests,
    strict,
    pass,
    close,
  };
}

/** The only password of the harness's Apple, whose form accepts no others. */
export const APPLE_PASSWORD = 'abcd-efgh-ijkl-mnop';

/**
 * Returns a provider with one password: `right`, or Apple's APPLE_PASSWORD. Every other one fails as the kind of
 * refusal it names, and `wrong` as unauthorized.
 */
export function passwordProvider(kind: 'apple' | 'caldav'): PasswordProvider {
  const verify = async ({ username, password }: PasswordLogin) => {
    if (password === (kind === 'apple' ? APPLE_PASSWORD : 'right')) {
      const identity = `login:${username.toLowerCase()}`;
      // The server reports the part behind the arrow as its own id on the wire.
      const [, accountId = username] = username.split(' -> ');
      return {
        accountId,
        identity,
        provesOwner: true,
        display: username,
        credentials: { username, password },
      };
    }
    if (password === 'broken') throw new TypeError('a fault of the adapter');
    const refusals = [
      'unavailable',
      'no_calendars',
      'forbidden_address',
      'rate_limited',
      'not_found',
    ] as const;
    const refusal = refusals.find((name) => name === password) ?? 'unauthorized';
    throw new ProviderError(refusal, 'refused', { retryAfter: 90_000 });
  };
  const open = () => {
    throw new Error('The Connect pages open no account');
  };
  const remembered = ({ username }: ProviderCredentials) => ({
    username: String(username),
    ...(kind === 'caldav' && { server: `https://dav.example.com/${username}/` }),
  });
  const readPassword = kind === 'apple' && { readPassword: appSpecificPassword };
  // A user name that begins so belongs to a server without passwords.
  const takesAnyPassword: PasswordSignIn['takesAnyPassword'] = async ({ username }, user) => {
    assert.equal(user?.clientId, 'acme');
    return String(username).startsWith('anybody');
  };
  return {
    kind,
    signIn: { method: 'password', verify, takesAnyPassword, remembered, ...readPassword },
    open,
  };
}

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly location: string;
  readonly body: string;
};

/** The fields that a form sends, by name. */
type Form = Readonly<Record<string, string | readonly string[]>>;

type Visit = { readonly headers?: Readonly<Record<string, string>> };

/** A browser's requests: cookies are stored, redirects are not followed. */
export class Browser {
  readonly #app: FastifyInstance;
  readonly cookies = new Map<string, string>();

  constructor({ app }: Pick<Harness, 'app'>) {
    this.#app = app;
  }

  get(url: string, visit: Visit = {}): Promise<Answer> {
    return this.#send('GET', url, undefined, visit);
  }

  post(url: string, form: Form, visit: Visit = {}): Promise<Answer> {
    const pairs = Object.entries(form).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value]),
    );
    return this.#send('POST', url, new URLSearchParams(pairs).toString(), visit);
  }

  /** Sends the form of the page whose action is `action`, with the typed values. */
  submit(page: Answer, action: string, typed: Form = {}, visit: Visit = {}) {
    return this.post(action, { ...formFields(page.body, action), ...typed }, visit);
  }

  /** Starts a flow and opens the selection page. */
  async start(query: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const parameters = new URLSearchParams({ client_id: 'acme', user_id: 'ada', ...query });
    const started = await this.get(`/authorize?${parameters}`);
    return this.get(started.location);
  }

  /** Links a CalDAV account and returns the selection page that follows. */
  async link(selection: Answer, username = 'ada@example.com'): Promise<Answer> {
    const transaction = transactionOf(selection);
    const form = await this.get(`/connect/caldav?transaction=${transaction}&by=server`);
    const typed = { server: 'https://dav.example.com', username, password: 'right' };
    const linked = await this.submit(form, '/connect/caldav', typed);
    return this.get(linked.location);
  }

  async #send(
    method: 'GET' | 'POST',
    url: string,
    payload: string | undefined,
    visit: Visit,
  ): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.#app.inject({
      method,
      url,
      headers: {
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        ...(cookie && { cookie }),
        ...(payload !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...visit.headers,
      },
      ...(payload !== undefined && { payload }),
    });
    for (const set of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = set.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      if (/max-age=0(;|$)/i.test(set)) this.cookies.delete(name);
      else this.cookies.set(name, pair.slice(pair.indexOf('=') + 1));
    }
    const { statusCode: status, headers } = answer;
    // A name reads the same wherever its line may break.
    const body = answer.body.replaceAll('<wbr>', '');
    return { status, headers, location: String(headers.location ?? ''), body };
  }
}

/** Returns the transaction of a page. */
export function transactionOf(page: Answer): string {
  return /name="transaction" value="([\w-]+)"/.exec(page.body)?.[1] ?? '';
}

/** Returns the hidden fields of the form with this action. */
function formFields(body: string, action: string): Form {
  const form = body.split('<form').find((part) => part.includes(`action="${action}"`)) ?? '';
  const inside = form.split('</form>')[0] ?? '';
  const fields = [...inside.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  const byName = Map.groupBy(fields, ([, name = '']) => name);
  const valuesOf = (of: typeof fields) => of.map(([, , value = '']) => unescaped(value));
  return Object.fromEntries([...byName].map(([name, of]) => [name, valuesOf(of)]));
}

/** Returns markup with its escaped characters as they are read. */
export const unescaped = (markup: string): string =>
  markup
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&amp;', '&');
