/** An Express application whose users connect their calendars through Kalends. README.md goes through it. */
import { randomBytes } from 'node:crypto';

import {
  AccountNeedsReconnect,
  createPkce,
  KalendsError,
  kalends,
  ReauthorizationRequired,
  webhookExpressHandler,
} from '@kalends/client';
import express from 'express';

import { agendaPage, reconnectPage, welcomePage } from './page.js';
import { openStorage } from './storage.js';

const { PORT = '3000', STORAGE = 'storage.db', ...env } = process.env;
const storage = openStorage(STORAGE);
const calendars = kalends({
  url: env.KALENDS_URL,
  clientId: env.KALENDS_CLIENT_ID,
  clientSecret: env.KALENDS_CLIENT_SECRET,
  redirectUri: `http://localhost:${PORT}/callback`,
  webhookSecret: env.KALENDS_WEBHOOK_SECRET,
});

const app = express();

// Deliveries are verified byte for byte: this route stands before anything that parses bodies.
const receive = ({ id, payload }) => {
  const told = (payload.events ?? []).map(({ changeType, title }) => `${changeType}: ${title}`);
  storage.addChange(id, payload.userId, told.join(', ') || 'A calendar was read for the first time');
};
app.post(
  '/webhooks',
  express.raw({ type: 'application/json', limit: '1mb' }),
  webhookExpressHandler({ verify: calendars.webhook, receive }),
);
app.use(express.urlencoded({ extended: false }));

// Stands for your own sign-in: each browser is a user of its own.
app.use((request, response, next) => {
  const name = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  const session = storage.sessionOf(name);
  if (session !== undefined) {
    Object.assign(request, { sessionName: name, session });
    return next();
  }
  request.sessionName = randomBytes(24).toString('base64url');
  request.session = { userId: `user-${randomBytes(8).toString('hex')}` };
  storage.saveSession(request.sessionName, request.session);
  // Lax: forms of other sites are sent without it.
  response.cookie('session', request.sessionName, { httpOnly: true, sameSite: 'lax' });
  next();
});

app.get('/connect', async (request, response) => {
  const { userId } = request.session;
  const state = randomBytes(16).toString('base64url');
  const { codeVerifier, codeChallenge } = await createPkce();
  storage.saveSession(request.sessionName, { userId, state, codeVerifier });
  const { provider, account } = request.query;
  // The flow of "Reconnect" starts with the sign-in of that account.
  const reconnect = account && { provider, account };
  const url = await calendars.pushedAuthorizationUrl({ userId, state, codeChallenge, reconnect });
  response.redirect(String(url));
});

app.get('/callback', async (request, response) => {
  const { url, session, sessionName } = request;
  const { userId, state = '', codeVerifier } = session;
  // An answer counts once.
  storage.saveSession(sessionName, { userId });
  try {
    const tokens = await calendars.completeAuthorization({ url, state, userId, codeVerifier });
    storage.saveTokens(userId, tokens);
    // The next request loads the new tokens.
    users.delete(userId);
    response.redirect('/');
  } catch (error) {
    if (!(error instanceof KalendsError)) throw error;
    response.status(400).send(welcomePage(`Nothing was connected: ${error.message}`));
  }
});

// One object for each user, so that requests that run at the same time share one refresh.
const users = new Map();
function calendarsOf(userId) {
  const store = {
    load: () => storage.tokensOf(userId),
    save: (tokens) => storage.saveTokens(userId, tokens),
  };
  if (!users.has(userId)) users.set(userId, calendars.user(store));
  return users.get(userId);
}

app.get('/', async (request, response) => {
  const { userId } = request.session;
  if (storage.tokensOf(userId) === undefined) return response.send(welcomePage());
  const start = new Date();
  const end = new Date(start.getTime() + 28 * 86_400_000);
  const { events, errors = [] } = await calendarsOf(userId).eventsPage({ start, end });
  const broken = errors.filter(({ code }) => code === 'reauth_required');
  response.send(agendaPage({ events, broken, changes: storage.changesOf(userId) }));
});

app.post('/events', async (request, response) => {
  const { title, start } = request.body;
  const begin = new Date(`${start}Z`);
  if (!title || Number.isNaN(begin.getTime()))
    return response.status(400).send('A title and a start, please.');
  const mine = calendarsOf(request.session.userId);
  const { calendars: all } = await mine.calendars();
  const place = all.find(({ access }) => access === 'write');
  if (place === undefined) return response.status(409).send('None of your calendars can be written to.');
  const end = new Date(begin.getTime() + 3_600_000);
  await mine.createEvent({ provider: place.provider, calendarId: place.id }, { title, start: begin, end });
  response.redirect(303, '/');
});

// Express knows an error handler by its four parameters.
app.use((error, _request, response, _next) => {
  if (error instanceof AccountNeedsReconnect) return response.status(409).send(reconnectPage(error.accounts));
  const isOver = error instanceof ReauthorizationRequired;
  if (!isOver) console.error(error);
  const notice = isOver ? 'Please connect your calendar again.' : 'That did not work. Please try again.';
  response.status(isOver ? 200 : 502).send(welcomePage(notice));
});

app.listen(Number(PORT), 'localhost', () => console.log(`Open http://localhost:${PORT}`));
