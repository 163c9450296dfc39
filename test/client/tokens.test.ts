/**
 * Tests how the published client handles a user's tokens, and when it retries: docs/wire.md O5's handling of 401, at
 * the program.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  type KalendsError,
  kalends,
  ReauthorizationRequired,
  type TokenStore,
  type Tokens,
} from '../../packages/client/src/kalends.ts';
import {
  type ClientSite,
  failing,
  type Interference,
  memoryStore,
  network,
  openClientSite,
} from './client-site.ts';

const TOKEN = 'POST /token';
const STATUS = 'GET /connection-status';
const HOUR = 3_600_000;

const respondWith =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ error: 'Service Unavailable', code: 'busy', message: 'Busy' }, { status, headers });
const lost = (): Response => {
  throw new TypeError('fetch failed');
};

describe('the client, with a user’s tokens', () => {
  let site: ClientSite;
  before(async () => {
    site = await openClientSite();
  });
  after(() => site?.close());

  /** Returns a client on a network, for a user with the tokens of that store. */
  function userWith(store: TokenStore, interfere?: Interference, retries = 2) {
    const net = network(interfere);
    const client = kalends({ ...site.options, fetch: net.fetch, retries });
    return { net, client, user: client.user(store) };
  }
  const refused = (tokens: Tokens): Tokens => ({
    ...tokens,
    accessToken: 'not a token that the service knows',
  });
  const place = () => ({ provider: 'caldav', calendarId: site.calendarId }) as const;
  const oneHour = (title: string) => ({ title, start: '2026-03-02T09:00:00Z', end: '2026-03-02T10:00:00Z' });
  const titled = async (title: string) => {
    const { user } = userWith(memoryStore(await site.tokensOf('ada')));
    const { events } = await user.eventsPage({ start: '2026-03-02', end: '2026-03-03' });
    return events.filter((event) => event.title === title).length;
  };

  it('the published client refreshes once for ten parallel calls that are refused, and repeats each of them', async () => {
    const store = memoryStore(refused(await site.tokensOf('ada')));
    const { user, net } = userWith(store);

    const answers = await Promise.all(Array.from({ length: 10 }, () => user.connectionStatus()));

    assert.equal(answers.length, 10);
    assert.deepEqual([net.count(TOKEN), net.count(STATUS), store.saved.length], [1, 20, 1]);
  });

  it('the published client refreshes once for two objects of one user in a process', async () => {
    const store = memoryStore(refused(await site.tokensOf('ada')));
    const { client, net } = userWith(store);

    await Promise.all([client.user(store).connectionStatus(), client.user(store).connectionStatus()]);

    assert.equal(net.count(TOKEN), 1);
  });

  it('the published client refreshes once before an access token expires, without a failed request', async () => {
    const store = memoryStore({ ...(await site.tokensOf('ada')), expiresAt: Date.now() + 5_000 });
    const { user, net } = userWith(store);

    await Promise.all(Array.from({ length: 10 }, () => user.connectionStatus()));

    assert.deepEqual([net.count(TOKEN), net.count(STATUS), store.saved.length], [1, 10, 1]);
    assert.equal(net.sent[0]?.request, TOKEN);
    assert.ok(store.tokens.expiresAt > Date.now() + HOUR / 2);
  });

  it('the published client stores new tokens before it uses them', async () => {
    const store = memoryStore(refused(await site.tokensOf('ada')));
    const order: string[] = [];
    const save = store.save.bind(store);
    store.save = async (tokens) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('saved');
      return save(tokens);
    };
    const { user } = userWith(store, (request) => {
      order.push(request);
      return undefined;
    });

    await user.connectionStatus();

    assert.deepEqual(order, [STATUS, TOKEN, 'saved', STATUS]);
  });

  it('the published client keeps tokens that could not be stored, and uses them once they are', async () => {
    const store = memoryStore(refused(await site.tokensOf('ada')));
    const save = store.save.bind(store);
    store.save = () => {
      store.save = save;
      throw new Error('The disk is full');
    };
    const { user, net } = userWith(store);

    await assert.rejects(user.connectionStatus(), /The disk is full/);
    assert.ok(await user.connectionStatus());

    assert.deepEqual([net.count(TOKEN), store.saved.length], [1, 1]);
  });

  it('the published client takes the stored tokens when another process was first, without a refresh', async () => {
    const tokens = await site.tokensOf('ada');
    const store = memoryStore(refused(tokens));
    const { user, net } = userWith(store, (request) => {
      if (request === STATUS) store.tokens = tokens;
      return undefined;
    });

    await user.connectionStatus();

    assert.deepEqual([net.count(TOKEN), store.saved.length], [0, 0]);
  });

  it('the published client uses the tokens of another process that won the race for the refresh', async () => {
    const tokens = await site.tokensOf('ada');
    const store = memoryStore(refused(tokens));
    const winner = memoryStore(refused(tokens));
    await userWith(winner).user.connectionStatus();
    const [won] = winner.saved;
    assert.ok(won);
    const { user, net } = userWith(store, (request) => {
      // The winner's tokens are stored only after the loser was refused.
      const keep = () => {
        store.tokens = won;
      };
      if (request === TOKEN) setTimeout(keep, 100);
      return undefined;
    });

    assert.ok(await user.connectionStatus());
    assert.equal(net.count(TOKEN), 1);
  });

  it('the published client reports that the user must authorize again if there are no newer tokens', async () => {
    const tokens = await site.tokensOf('ada');
    await site.client.revoke(tokens.refreshToken);
    const store = memoryStore(tokens);
    const { user, net } = userWith(store);

    await assert.rejects(user.connectionStatus(), (error: unknown) => {
      assert.ok(error instanceof ReauthorizationRequired && error.code === 'invalid_grant');
      return true;
    });
    assert.deepEqual([net.count(TOKEN), store.saved.length], [1, 0]);
    await assert.rejects(
      site.client.user({ load: () => undefined, save: () => {} }).calendars(),
      ReauthorizationRequired,
    );
  });

  it('the published client continues after the user authorized again', async () => {
    const store = memoryStore(refused({ ...(await site.tokensOf('ada')), refreshToken: 'spent' }));
    const { user } = userWith(store);
    await assert.rejects(user.connectionStatus(), ReauthorizationRequired);

    store.tokens = await site.tokensOf('ada');

    assert.ok(await user.connectionStatus());
  });

  it('the published client never repeats a refresh whose response was lost', async () => {
    const store = memoryStore(refused(await site.tokensOf('ada')));
    const { user, net } = userWith(store, failing(TOKEN, 1, lost));

    await assert.rejects(user.connectionStatus(), (error: KalendsError) => error.code === 'unreachable');
    assert.equal(net.count(TOKEN), 1);
  });

  it('the published client repeats a read after 503, no earlier than requested', async () => {
    const store = memoryStore(await site.tokensOf('ada'));
    const { user, net } = userWith(store, failing(STATUS, 1, respondWith(503, { 'retry-after': '1' })));
    const began = performance.now();

    await user.connectionStatus();

    assert.ok(performance.now() - began >= 1000);
    assert.equal(net.count(STATUS), 2);
  });

  it('the published client does not wait too long, nor retry more often than allowed', async () => {
    const tokens = await site.tokensOf('ada');
    for (const [times, after, tries] of [
      [1, '3600', 1],
      [9, '1', 2],
    ] as const) {
      const failure = failing(STATUS, times, respondWith(503, { 'retry-after': after }));
      const { user, net } = userWith(memoryStore(tokens), failure, 1);

      await assert.rejects(user.connectionStatus(), (error: KalendsError) => {
        assert.deepEqual([error.status, error.code, error.retryAfter], [503, 'busy', Number(after)]);
        return true;
      });
      assert.equal(net.count(STATUS), tries);
    }
  });

  it('the published client repeats a create whose response was lost with its key, and creates one event', async () => {
    const { user, net } = userWith(memoryStore(await site.tokensOf('ada')));
    let remaining = 1;
    const losing: typeof fetch = async (input, init) => {
      const answer = await net.fetch(input, init);
      if (init?.method === 'POST' && remaining-- > 0) throw new TypeError('fetch failed');
      return answer;
    };
    const client = kalends({ ...site.options, fetch: losing });

    const made = await client
      .user(memoryStore(await site.tokensOf('ada')))
      .createEvent(place(), oneHour('Lost'));

    assert.equal(made.title, 'Lost');
    const keys = net.sent.map(({ headers }) => headers.get('idempotency-key'));
    assert.equal(net.count('POST /event'), 2);
    assert.equal(new Set(keys.filter((key) => key !== null)).size, 1);
    assert.equal(await titled('Lost'), 1);
    await user.deleteEvent({ ...place(), eventId: made.id });
  });

  it('the published client repeats no change without an idempotency key', async () => {
    const store = memoryStore(await site.tokensOf('ada'));
    const made = await userWith(store).user.createEvent(place(), oneHour('Fixed'));
    const address = { ...place(), eventId: made.id };
    const failure = respondWith(503, { 'retry-after': '1' });
    const put = userWith(store, failing('PUT /event', 1, failure));
    const remove = userWith(store, failing('DELETE /event', 1, failure));

    await assert.rejects(put.user.updateEvent(address, { title: 'Other' }), /Busy/);
    await assert.rejects(remove.user.deleteEvent(address), /Busy/);

    assert.deepEqual([put.net.count('PUT /event'), remove.net.count('DELETE /event')], [1, 1]);
    assert.equal(await titled('Fixed'), 1);
  });

  it('the published client gives up a request that has no response in time', async () => {
    const silent: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    const client = kalends({ ...site.options, fetch: silent, timeout: 30, retries: 0 });
    const user = client.user(memoryStore(await site.tokensOf('ada')));

    await assert.rejects(user.calendars(), (error: KalendsError) => error.code === 'timeout');
  });

  it('the published client reports accounts that cannot be read beside the calendars and events', async () => {
    const store = memoryStore(await site.tokensOf('ada'));
    const { user } = userWith(store);
    const problem = { provider: 'caldav', account: 'x', code: 'unavailable', message: 'Grüße' } as const;
    const header = JSON.stringify([{ ...problem, message: 'Gr\\u00fc\\u00dfe' }]).replaceAll('\\\\', '\\');
    const calendars = failing('GET /calendars', 1, () =>
      Response.json([], { headers: { 'kalends-errors': header } }),
    );
    const page = { events: [], pageSize: 250, errors: [problem] };
    const events = failing('GET /events', 1, () => Response.json(page));
    const heard: unknown[] = [];

    const list = await userWith(store, calendars).user.calendars();
    await Array.fromAsync(userWith(store, events).user.events({}, (errors) => heard.push(...errors)));

    assert.deepEqual([list.errors, heard], [[problem], [problem]]);
    assert.deepEqual((await user.calendars()).errors, []);
  });
});
