/** A Hono application whose users connect their calendars through Kalends. README.md goes through it. */
import { randomBytes } from 'node:crypto';

import { serve } from '@hono/node-server';
import {
  AccountNeedsReconnect,
  createPkce,
  KalendsError,
  kalends,
  type Provider,
  ReauthorizationRequired,
  type UserCalendars,
  webhookFetchHandler,
} from '@kalends/client';
import { type Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

import { agendaPage, reconnectPage, welcomePage } from './page.ts';
import { openStorage, type Session } from './storage.ts';

const { PORT = '3000', STORAGE = 'storage.db', ...env } = process.env;
const storage = openStorage(STORAGE);
const calendars = kalends({
  url: env.KALENDS_URL ?? '',
  clientId: env.KALENDS_CLIENT_ID ?? '',
  clientSecret: env.KALENDS_CLIENT_SECRET ?? '',
  redirectUri: `http://localhost:${PORT}/callback`,
  webhookSecret: env.KALENDS_WEBHOOK_SECRET,
});

const app = new Hono();

const receiveWebhook = webhookFetchHandler({
  verify: calendars.webhook,
  receive({ id, payload }) {
    // Calendars and connections are other topics.
    if (payload.eventType !== undefined) return;
    const { userId, events } = payload;
    const told = events.map(({ changeType, title }) => `${changeType}: ${title}`).join(', ');
    storage.addChange(id, userId, told || 'A calendar was read for the first time');
  },
});
app.post('/webhooks', (context) => receiveWebhook(context.req.raw));

/** Stands for your own sign-in: each browser is a user of its own. */
function sessionOf(context: Context): { readonly name: string; readonly session: Session } {
  const known = getCookie(context, 'session') ?? '';
  const session = storage.sessionOf(known);
  if (session !== undefined) return { name: known, session };
  const name = randomBytes(24).toString('base64url');
  const fresh = { userId: `user-${randomBytes(8).toString('hex')}` };
  storage.saveSession(name, fresh);
  // Lax: forms of other sites are sent without it.
  setCookie(context, 'session', name, { httpOnly: true, sameSite: 'Lax' });
  return { name, session: fresh };
}

app.get('/connect', async (context) => {
  const { name, session } = sessionOf(context);
  const { userId } = session;
  const state = randomBytes(16).toString('base64url');
  const { codeVerifier, codeChallenge } = await createPkce();
  storage.saveSession(name, { userId, state, codeVerifier });
  const { provider, account } = context.req.query();
  // The flow of "Reconnect" starts with the sign-in of that account. Kalends checks the provider.
  const reconnect = account ? { provider: provider as Provider, account } : undefined;
  const url = await calendars.pushedAuthorizationUrl({ userId, state, codeChallenge, reconnect });
  return context.redirect(String(url));
});

app.get('/callback', async (context) => {
  const { name, session } = sessionOf(context);
  const { userId, state = '', codeVerifier = '' } = session;
  // An answer counts once.
  storage.saveSession(name, { userId });
  try {
    const { url } = context.req;
    const tokens = await calendars.completeAuthorization({ url, state, userId, codeVerifier });
    storage.saveTokens(userId, tokens);
    // The next request loads the new tokens.
    users.delete(userId);
    return context.redirect('/');
  } catch (error) {
    if (!(error instanceof KalendsError)) throw error;
    return context.html(welcomePage(`Nothing was connected: ${error.message}`), 400);
  }
});

/** One object for each user, so that requests that run at the same time share one refresh. */
const users = new Map<string, UserCalendars>();
function calendarsOf(userId: string): UserCalendars {
  const user =
    users.get(userId) ??
    calendars.user({
      load: () => storage.tokensOf(userId),
      save: (tokens) => storage.saveTokens(userId, tokens),
    });
  users.set(userId, user);
  return user;
}

app.get('/', async (context) => {
  const { userId } = sessionOf(context).session;
  if (storage.tokensOf(userId) === undefined) return context.html(welcomePage());
  const start = new Date();
  const end = new Date(start.getTime() + 28 * 86_400_000);
  const { events, errors = [] } = await calendarsOf(userId).eventsPage({ start, end });
  const broken = errors.filter(({ code }) => code === 'reauth_required');
  return context.html(agendaPage({ events, broken, changes: storage.changesOf(userId) }));
});

app.post('/events', async (context) => {
  const { title, start } = await context.req.parseBody();
  const begin = new Date(`${start}Z`);
  if (typeof title !== 'string' || title === '' || Number.isNaN(begin.getTime()))
    return context.text('A title and a start, please.', 400);
  const mine = calendarsOf(sessionOf(context).session.userId);
  const { calendars: all } = await mine.calendars();
  const place = all.find(({ access }) => access === 'write');
  if (place === undefined) return context.text('None of your calendars can be written to.', 409);
  const end = new Date(begin.getTime() + 3_600_000);
  await mine.createEvent({ provider: place.provider, calendarId: place.id }, { title, start: begin, end });
  return context.redirect('/', 303);
});

app.onError((error, context) => {
  if (error instanceof AccountNeedsReconnect) return context.html(reconnectPage(error.accounts), 409);
  if (error instanceof ReauthorizationRequired)
    return context.html(welcomePage('Please connect your calendar again.'));
  console.error(error);
  return context.html(welcomePage('That did not work. Please try again.'), 502);
});

serve({ fetch: app.fetch, port: Number(PORT), hostname: 'localhost' }, () =>
  console.log(`Open http://localhost:${PORT}`),
);
