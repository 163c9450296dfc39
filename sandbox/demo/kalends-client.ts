/** The client that an application needs for Kalends: six requests over HTTP. */

export type Application = {
  /** Kalends' public origin. */
  readonly kalendsUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
};

export type Tokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly receivedAt: number;
};

export type ListedCalendar = {
  readonly provider: string;
  readonly account: string;
  /** The name that people know the account by. */
  readonly accountName: string;
  readonly id: string;
  readonly title: string;
  readonly timeZone: string;
  readonly color?: string;
};

export type ListedEvent = {
  readonly provider: string;
  readonly calendarId: string;
  readonly title: string;
  readonly start: string;
  readonly end: string;
  readonly allDay: boolean;
  readonly location?: string;
  readonly conference?: string;
  readonly recurringEventId?: string;
  readonly availability?: string;
  readonly privacy?: string;
};

export type ReadProblem = {
  readonly provider: string;
  readonly account: string;
  readonly code: string;
  readonly message: string;
  /** The person who must act: `user`, `administrator`, `operator`, `nobody`. */
  readonly actor?: string;
};

export type EventPage = {
  readonly events: readonly ListedEvent[];
  readonly nextPageToken?: string;
  /** Accounts whose events may be old or missing. */
  readonly errors?: readonly ReadProblem[];
};

/** An error of Kalends; `status` is 0 if there was no response. */
export class KalendsRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(answer: { status: number; code: string; message: string }, options?: ErrorOptions) {
    super(answer.message, options);
    this.name = 'KalendsRefusal';
    this.status = answer.status;
    this.code = answer.code;
  }
}

/** Returns the address to send the user's browser to. */
export function authorizeUrl(
  { kalendsUrl, clientId, redirectUri }: Application,
  { userId, state, scope }: { userId: string; state: string; scope: string },
): string {
  const query = {
    client_id: clientId,
    user_id: userId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
    state,
  };
  return `${kalendsUrl}/authorize?${new URLSearchParams(query)}`;
}

export function exchangeCode(application: Application, code: string, now: number): Promise<Tokens> {
  const { redirectUri } = application;
  return postToken(application, { grant_type: 'authorization_code', code, redirect_uri: redirectUri }, now);
}

export function refreshTokens(application: Application, refreshToken: string, now: number): Promise<Tokens> {
  return postToken(application, { grant_type: 'refresh_token', refresh_token: refreshToken }, now);
}

async function postToken(
  { kalendsUrl, clientId, clientSecret }: Application,
  form: Readonly<Record<string, string>>,
  now: number,
): Promise<Tokens> {
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  // An OAuth token response has these two fields (RFC 6749 §5.1).
  const answer = (await ask(`${kalendsUrl}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams(form),
  })) as { access_token: string; refresh_token: string };
  return { accessToken: answer.access_token, refreshToken: answer.refresh_token, receivedAt: now };
}

/** Ends every token of the user at this application. */
export async function revokeTokens({ kalendsUrl }: Application, token: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await ask(`${kalendsUrl}/revoke`, { method: 'POST', headers, body: JSON.stringify({ token }) });
}

export async function listCalendars(
  { kalendsUrl }: Application,
  accessToken: string,
): Promise<ListedCalendar[]> {
  // Kalends returns a bare array of calendars.
  return (await ask(`${kalendsUrl}/calendars`, bearer(accessToken))) as ListedCalendar[];
}

/** Lists the events between two instants, at most 250. */
export async function listEvents(
  { kalendsUrl }: Application,
  accessToken: string,
  { start, end }: { start: number; end: number },
): Promise<EventPage> {
  // Kalends returns a page of events.
  return (await ask(eventsUrl(kalendsUrl, { start, end }), bearer(accessToken))) as EventPage;
}

export function eventsUrl(kalendsUrl: string, { start, end }: { start: number; end: number }): string {
  const query = { start: new Date(start).toISOString(), end: new Date(end).toISOString(), pageSize: '250' };
  return `${kalendsUrl}/events?${new URLSearchParams(query)}`;
}

const bearer = (accessToken: string): RequestInit => ({
  headers: { authorization: `Bearer ${accessToken}` },
});

/** The first read after connecting waits for the first sync, up to 20 s. */
const PATIENCE_MS = 30_000;

async function ask(url: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
    (cause: unknown) => {
      const message = 'Kalends does not respond';
      throw new KalendsRefusal({ status: 0, code: 'no_answer', message }, { cause });
    },
  );
  const body = await answer.text();
  if (answer.ok) return JSON.parse(body);
  const { error = 'error', code, message, error_description: description } = errorIn(body);
  throw new KalendsRefusal({
    status: answer.status,
    code: code ?? error,
    message: message ?? description ?? error,
  });
}

type ErrorBody = { error?: string; code?: string; message?: string; error_description?: string };

function errorIn(body: string): ErrorBody {
  try {
    // Kalends' errors are objects of texts.
    return JSON.parse(body) as ErrorBody;
  } catch (failure) {
    if (failure instanceof SyntaxError) return { message: body.slice(0, 200) };
    throw failure;
  }
}
