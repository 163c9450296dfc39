/**
 * How long a browser waits for the selection page: branded, of a user with three accounts, one request at a time over a
 * warm connection. The comparison is a server that holds the finished page in memory.
 */
import type { NewAccount } from '../../src/calendars/account-store.ts';
import { hashOfSecret } from '../../src/lib/sealing.ts';
import type { Stores } from '../../src/start/open-storage.ts';
import { type KalendsOptions, startKalends } from '../kalends.ts';
import { sendOnce } from '../load/http-load.ts';
import type { Application } from '../load/oauth-calls.ts';
import { finishLinking, linkedBy } from '../mirror-seed.ts';
import type { LoadRow } from '../row.ts';
import { bareFastify, repeating } from './token-subjects.ts';

const KALENDS = 'Kalends, selection page, SQLite';
const BARE = 'bare Fastify, a page of the same size';
const USER = 'ada';
const ACCOUNTS = 3;
/** The browser's secret, as in the cookie: this browser connected the accounts, so the page shows all of each. */
const DEVICE = 'd'.repeat(43);

export const pagesRow: LoadRow = {
  name: 'pages',
  title: 'Time to the selection page with 3 accounts, branded, one request at a time',
  connections: 1,
  comparisons: [{ ours: KALENDS, theirs: BARE, unit: '%', required: 0.1, outFor: 0.2 }],
  async subjects(context) {
    const server = await startKalends({ folder: context.folder, seed });
    context.after(server.stop);
    const request = await startFlow(server.port, server.application);
    const page = await sendOnce(server.port, request);
    const accounts = page.split('/connect/disconnect"').length - 1;
    if (accounts !== ACCOUNTS) throw new Error(`The page shows ${accounts} accounts`);
    const bare = await bareFastify(context, JSON.stringify(page));
    return [
      repeating(KALENDS, server, request),
      repeating(BARE, bare, 'GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
    ];
  },
};

const seed: NonNullable<KalendsOptions['seed']> = async (stores, { clientId }) => {
  const now = Date.now();
  await stores.branding.changeLook(
    clientId,
    { primaryColor: '#0b6e4f', supportEmail: 'help@acme.example' },
    { now, by: undefined },
  );
  await stores.users.loadOrCreateUser(clientId, USER, now);
  await linkAccounts(stores, clientId, now);
  // There is no provider to sync with.
  await stores.db.write('DELETE FROM job');
};

async function linkAccounts({ accounts, db }: Stores, clientId: string, now: number): Promise<void> {
  for (let index = 0; index < ACCOUNTS; index++) {
    await accounts.linkAccount(accountOf(clientId, index), now);
  }
  await finishLinking({ db }, { clientId, userId: USER });
}

const accountOf = (clientId: string, index: number): NewAccount => ({
  ...linkedBy(USER, hashOfSecret(DEVICE)),
  identity: `https://dav${index}.example/ada/`,
  clientId,
  userId: USER,
  provider: 'caldav',
  accountId: `https://dav${index}.example/ada/`,
  display: `ada@dav${index}.example`,
  grantedScopes: [],
  calendarPermission: undefined,
  credentials: { username: USER, password: 'bench' },
});

/** Starts a flow as a browser does, and returns the request for its page. */
async function startFlow(port: number, { clientId }: Application): Promise<string> {
  const origin = `http://127.0.0.1:${port}`;
  const started = await fetch(`${origin}/authorize?client_id=${clientId}&user_id=${USER}`, {
    redirect: 'manual',
  });
  const cookies = started.headers.getSetCookie().map((set) => set.split(';')[0] ?? '');
  const path = started.headers.get('location') ?? '';
  return [
    `GET ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Accept: text/html',
    `Cookie: ${[...cookies, `kalends_device=${DEVICE}`].join('; ')}`,
    '\r\n',
  ].join('\r\n');
}
