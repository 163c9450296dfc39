/** The playground: a test user connects an application's calendars, and every operation can be tried with it. */

import type { FastifyRequest } from 'fastify';
import { readableApplications } from '../administration/applications.ts';
import type { OpenApiDocument } from '../api-reference/openapi-document.ts';
import { PROVIDER_KINDS } from '../calendars/provider-facts.ts';
import type { Client } from '../oauth/client.ts';
import { SCOPES } from '../oauth/scope.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { may } from '../people/permission.ts';
import type { Person } from '../people/person.ts';
import {
  beginFlow,
  CALLBACK_PATH,
  finishFlow,
  readTestName,
  startOver,
} from '../playground/connect-test-user.ts';
import type { OperationForm } from '../playground/operation-forms.ts';
import { readCall, SECRET_FIELD, type Typed, UnreadableCall } from '../playground/read-call.ts';
import { needsPrivateKey, type ReceivedAnswer, runCall, type SendCall } from '../playground/run-call.ts';
import { readClient } from './application-tab.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import { type DashboardRoute, type DashboardVisit, goTo, type OpenRoute, showDoor } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { PLAYGROUND, POPUP, playgroundPage, playgroundPath } from './pages/playground.page.ts';
import { operationPage } from './pages/playground-call.page.ts';
import { testUserPage } from './pages/playground-user.page.ts';
import { redirectPage } from './pages/redirect.page.ts';
import { get, openGet, post } from './routes.ts';

const ONE = `${PLAYGROUND}/:clientId`;
const FINISH = `${PLAYGROUND}/finish`;
/** Limits parameters of the return; every state and code that Kalends issues is shorter. */
const MOST_CHARACTERS = 1_000;

export const playgroundRoutes = (deps: OpenDashboard): (DashboardRoute | OpenRoute)[] => {
  const forms = createFormLoader(deps);
  return [...choosing(), ...flow(), ...trying(forms), ...calling(forms)];
};

type Forms = () => Promise<readonly OperationForm[]>;

/** Created at first use: the reference's schemas are loaded with the forms. */
function createFormLoader({ publicUrl }: OpenDashboard): Forms {
  let forms: Promise<readonly OperationForm[]> | undefined;
  const make = async () => {
    const [{ currentDocument }, { operationForms }] = await Promise.all([
      import('../api-reference/current-document.ts'),
      import('../playground/operation-forms.ts'),
    ]);
    const document: OpenApiDocument = currentDocument(publicUrl);
    return operationForms(document);
  };
  return () => {
    forms ??= make();
    return forms;
  };
}

const choosing = (): DashboardRoute[] => [
  get(PLAYGROUND, 'playground.open', async ({ person, show, reply, deps }) => {
    const clients = await usableApplications(person, deps);
    const users = await deps.testUsers.listTestUsers(person.personId);
    const connected = users.find(
      (user) => user.isConnected && clients.some(({ clientId }) => clientId === user.clientId),
    );
    const only = clients.length === 1 ? clients[0]?.clientId : undefined;
    const opened = connected?.clientId ?? only;
    if (opened !== undefined) return goTo(reply, playgroundPath(opened));
    const content = playgroundPage({ clients, users }, person);
    return show({ title: messages.text('playground.title'), content });
  }),
];

/**
 * The return of a flow. The browser does not send the session cookie on a navigation from another origin, so it takes
 * two steps.
 */
const flow = (): (DashboardRoute | OpenRoute)[] => [
  openGet(CALLBACK_PATH, async ({ reply, query, cookies }) => {
    const names = ['state', 'code', 'error'] as const;
    const given = names.map((name) => [name, query(name).slice(0, MOST_CHARACTERS)]);
    const to = `${FINISH}?${new URLSearchParams(given)}`;
    return showDoor(reply, redirectPage({ to, title: messages.text('playground.back') }, cookies.theme));
  }),
  get(FINISH, 'playground.open', async ({ person, session, query, reply, deps }) => {
    const answer = { state: query('state'), code: query('code'), isDenied: query('error') !== '' };
    const by = { person, sessionId: session.sessionId };
    const { user, isConnected } = await finishFlow(by, answer, deps);
    const done = isConnected ? 'connected' : 'denied';
    return goTo(reply, `${playgroundPath(user.clientId)}?done=${done}`);
  }),
];

const trying = (forms: Forms): DashboardRoute[] => [
  get(ONE, 'playground.use', (visit) => showTestUser(visit, forms)),
  post(ONE, 'playground.use', async (visit) => {
    const { person, session, field, reply, cookies, deps } = visit;
    const { clientId } = await readClient(visit);
    const name = readTestName(field('name'));
    if (name === undefined) return showTestUser(visit, forms, { typed: field('name') });
    const scope = SCOPES.find((one) => one === field('scope')) ?? 'read-write';
    const begunBy = { person, sessionId: session.sessionId };
    const to = await beginFlow(begunBy, { clientId, name, scope }, deps);
    return showDoor(reply, redirectPage({ to, title: messages.text('playground.onward') }, cookies.theme));
  }),
  post(`${ONE}/start-over`, 'playground.use', async (visit) => {
    const { clientId } = await readClient(visit);
    await startOver(visit.person, clientId, visit.deps);
    return goTo(visit.reply, `${playgroundPath(clientId)}?done=over`);
  }),
];

/** `typed` is a name that is not allowed. */
async function showTestUser(visit: DashboardVisit, forms: Forms, wrong?: { readonly typed: string }) {
  const { person, viewer, query, show, deps } = visit;
  const client = await readClient(visit);
  const { clientId, name } = client;
  const user = await deps.testUsers.findTestUser(person.personId, clientId);
  if (user?.isConnected) return showOperation(visit, { forms, id: FIRST_OPERATION });
  const parts = {
    ...{ client, user, wrong, done: query('done') },
    clients: await usableApplications(person, deps),
    hasProvider: await hasProvider(client, deps),
    forms: await forms(),
  };
  const title = `${messages.text('playground.title')} – ${name}`;
  const page = { title, content: testUserPage(parts, viewer), script: POPUP };
  return show(page, wrong === undefined ? 200 : 400);
}

/** Whether there is any provider that the application's users could connect. */
async function hasProvider({ clientId, providers }: Client, { offeredProviders, apps }: OpenDashboard) {
  const kinds = PROVIDER_KINDS.filter((kind) => offeredProviders.includes(kind));
  for (const kind of kinds.filter((one) => providers === undefined || providers.includes(one)))
    if (kind === 'apple' || kind === 'caldav' || (await apps.find(clientId, kind)) !== undefined) return true;
  return false;
}

const calling = (forms: Forms): DashboardRoute[] => [
  get(`${ONE}/:operation`, 'playground.use', async (visit) =>
    showOperation(visit, { forms, id: visit.parameter('operation') }),
  ),
  post(`${ONE}/:operation`, 'playground.use', (visit) =>
    showOperation(visit, { forms, id: visit.parameter('operation') }, (form) => runOperation(visit, form)),
  ),
];

/** The operation with which the playground opens. */
const FIRST_OPERATION = 'listEvents';

async function usableApplications(person: Person, deps: OpenDashboard): Promise<Client[]> {
  const readable = await readableApplications(person, deps);
  return readable.filter(({ clientId }) => may(person, 'playground.use', clientId));
}

type Outcome = Pick<Parameters<typeof operationPage>[0], 'sent' | 'problem'>;

const loadColors = async () => (await import('../design/highlight.ts')).codeBlock;

async function runOperation(visit: DashboardVisit, form: OperationForm): Promise<Outcome> {
  const { http, person, parameter, field, deps } = visit;
  const clientId = parameter('clientId');
  try {
    const call = readCall(form, field);
    if (needsPrivateKey(await readClient(visit), form))
      return { sent: { call, answer: undefined, codeBlock: await loadColors() } };
    const user = await deps.testUsers.findTestUser(person.personId, clientId);
    const run = { clientId, user, form, call, clientSecret: field(SECRET_FIELD) };
    const send = callsFrom(http, deps.publicUrl);
    const answer = await runCall(person, run, { ...deps, send });
    const sent = { call, answer, codeBlock: await loadColors() };
    return answer === undefined ? { sent, problem: messages.text('call.late') } : { sent };
  } catch (reason) {
    if (!(reason instanceof UnreadableCall)) throw reason;
    return { problem: messages.text(`call.wrong.${reason.reason}`, { field: reason.field }) };
  }
}

async function showOperation(
  visit: DashboardVisit,
  { forms, id }: { readonly forms: Forms; readonly id: string },
  run: (form: OperationForm) => Promise<Outcome> = async () => ({}),
) {
  const { http, person, viewer, query, field, show, deps } = visit;
  const client = await readClient(visit);
  const all = await forms();
  const form = all.find((one) => one.id === id);
  if (form === undefined) throw new PeopleRefusal('not_there');
  const outcome = await run(form);
  const user = await deps.testUsers.findTestUser(person.personId, client.clientId);
  const accounts = user === undefined ? [] : await deps.accounts.listAccounts(client.clientId, user.userId);
  const typed: Typed | undefined = http.method === 'POST' ? field : undefined;
  const parts = {
    ...{ client, form, forms: all, user, accounts, typed, now: deps.now(), done: query('done'), ...outcome },
    ...{ url: deps.publicUrl, userReferenceKey: deps.userReferenceKey },
    isLogged: deps.requestLogDays > 0,
    clients: await usableApplications(person, deps),
  };
  return show(
    { title: `${form.summary} – ${client.name}`, content: operationPage(parts, viewer), script: POPUP },
    outcome.problem === undefined ? 200 : 400,
  );
}

/** Longer than any long poll, in milliseconds. */
const MOST_MS = 40_000;
/** Limits how much of a response body is stored. The rest is discarded. */
const MOST_BYTES = 128 * 1024;

/** Sends requests from the address of the member who opened the page, so that the limits of that address apply. */
export function callsFrom({ server, ip }: FastifyRequest, publicUrl: string): SendCall {
  const { host } = new URL(publicUrl);
  return async ({ method, path, headers, body }) => {
    const signal = AbortSignal.timeout(MOST_MS);
    try {
      const answer = await server.inject({
        method: method as 'GET', // A method of the API reference, all of which exist.
        url: path,
        headers: { ...headers, host },
        remoteAddress: ip,
        payloadAsStream: true,
        signal,
        ...(body !== undefined && { payload: body }),
      });
      const nonce = answer.headers['dpop-nonce'];
      const firstPart = await readFirstPart(answer.stream());
      return {
        status: answer.statusCode,
        requestId: String(answer.headers['x-request-id'] ?? ''),
        ...firstPart,
        ...(nonce !== undefined && { nonce: String(nonce) }),
      };
    } catch (failure) {
      if (signal.aborted) return undefined;
      throw failure;
    }
  };
}

async function readFirstPart(stream: AsyncIterable<Buffer>): Promise<Pick<ReceivedAnswer, 'text' | 'isCut'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    if (bytes < MOST_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  }
  return { text: Buffer.concat(chunks).subarray(0, MOST_BYTES).toString(), isCut: bytes > MOST_BYTES };
}
