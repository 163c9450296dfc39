/** The demo's page of deliveries: it follows them by server-sent events, and moves events at the providers. */
import { Readable } from 'node:stream';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { type Input, readBody, readQuery, required, text, wholeNumberText } from '../../src/http/fields.ts';
import { sendPage } from '../../src/http/page.ts';
import type { SandboxKind } from '../core/faults.ts';
import type { EventMover } from '../people/event-mover.ts';
import { DELIVERIES_POLICY, deliveriesPage, type Movable } from './deliveries.page.ts';
import type { LoggedDelivery } from './delivery-log.ts';
import { deliveryRow } from './delivery-row.page.ts';
import { PROVIDER_NAMES, pagePolicy } from './demo-layout.page.ts';
import { refuseOtherSites, resultOf, sessionOf, takeNotice } from './demo-requests.ts';
import type { DemoSession, DemoSessions } from './demo-session.ts';
import { type ListedCalendar, listCalendars } from './kalends-client.ts';
import { timeText } from './time-text.ts';
import type { WebhookDeps } from './webhook.route.ts';

export type DeliveriesDeps = WebhookDeps & { readonly mover: EventMover };

/** The server ends a stream that is silent for a minute. */
const BEAT_MS = 15_000;
/** Kalends' names of the sandbox's providers. */
const KINDS: Readonly<Record<string, SandboxKind>> = {
  google: 'google',
  microsoft: 'microsoft',
  apple: 'icloud',
  caldav: 'caldav',
};

const STREAM_QUERY = { after: wholeNumberText({ min: 0, max: 999_999 }) };
const MOVE_FORM = { provider: required(text({})), calendarId: required(text({})) };

export function deliveriesRoutes(app: FastifyInstance, deps: DeliveriesDeps, sessions: DemoSessions): void {
  const { application, deliveries, mover } = deps;
  /** Deliveries name a calendar by its id. */
  const titles = new Map<string, string>();
  const titleOf = (provider: string, calendarId: string) => titles.get(`${provider} ${calendarId}`);
  const row = (delivery: LoggedDelivery) => deliveryRow(delivery, titleOf);
  const policy = { ...pagePolicy(application.kalendsUrl), ...DELIVERIES_POLICY };

  app.get('/deliveries', async (request, reply) => {
    const session = sessionOf(request, sessions);
    const tokens = session?.tokens;
    const calendars = tokens && (await resultOf(listCalendars(application, tokens.accessToken)));
    const listed = calendars && 'value' in calendars ? calendars.value : [];
    for (const { provider, id, title } of listed) titles.set(`${provider} ${id}`, title);
    const document = deliveriesPage({
      notice: session && takeNotice(session),
      problem: calendars && 'problem' in calendars ? calendars.problem : undefined,
      isConnected: tokens !== undefined,
      movable: movableOf(listed, mover),
      deliveries: deliveries.list(),
      row,
    });
    return sendPage(reply, { document, policy });
  });

  streamRoute(app, deliveries, (delivery) => row(delivery).markup);
  moveRoute(app, deps, sessions);
}

/**
 * Sends one message per delivery, with its row as HTML; its id is the delivery's number, so that a lost stream can
 * continue.
 */
function streamRoute(
  app: FastifyInstance,
  deliveries: DeliveriesDeps['deliveries'],
  markupOf: (delivery: LoggedDelivery) => string,
): void {
  const streams = new Set<Readable>();
  // The server waits for open responses.
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.push(null);
  });
  app.get('/deliveries/stream', (request, reply) => {
    const stream = new Readable({ read() {} });
    const send = (delivery: LoggedDelivery) => {
      const lines = markupOf(delivery).split(/\r\n|\r|\n/);
      stream.push(`id: ${delivery.number}\n${lines.map((line) => `data: ${line}\n`).join('')}\n`);
    };
    const after = afterOf(request);
    stream.push('retry: 1000\n\n');
    for (const delivery of deliveries.list().toReversed()) if (delivery.number > after) send(delivery);
    const unsubscribe = deliveries.subscribe(send);
    const beat = setInterval(() => stream.push(':\n\n'), BEAT_MS).unref();
    streams.add(stream);
    stream.once('close', () => {
      clearInterval(beat);
      unsubscribe();
      streams.delete(stream);
    });
    return reply.type('text/event-stream').header('cache-control', 'no-store').send(stream);
  });
}

function afterOf({ headers, query }: FastifyRequest): number {
  const { after = 0 } = readQuery(query, STREAM_QUERY);
  return Number(headers['last-event-id'] ?? after) || 0;
}

function moveRoute(app: FastifyInstance, deps: DeliveriesDeps, sessions: DemoSessions): void {
  const { application, deliveries, mover, now } = deps;
  const move = async ({ tokens }: DemoSession, { provider, calendarId }: Input<typeof MOVE_FORM>) => {
    const calendars = tokens === undefined ? [] : await listCalendars(application, tokens.accessToken);
    const kind = KINDS[provider];
    // Accepts only the user's own calendars: a form can contain anything.
    const isConnected = calendars.some((one) => one.provider === provider && one.id === calendarId);
    if (kind === undefined || !isConnected) throw new Error('the calendar is not connected');
    const at = now();
    const event = await mover.move(kind, calendarId);
    deliveries.expect({ ...event, provider, calendarId, at });
    return `“${event.title}” now begins at ${timeText(event.start)} at ${PROVIDER_NAMES[provider]}. Its delivery arrives automatically.`;
  };

  app.post('/deliveries/move', { onRequest: refuseOtherSites }, async (request, reply: FastifyReply) => {
    const form = readBody(request.body, MOVE_FORM);
    const session = sessionOf(request, sessions);
    if (session === undefined) return reply.redirect('/deliveries', 303);
    try {
      session.notice = { kind: 'done', text: await move(session, form) };
    } catch (failure) {
      // The person sees the message of the provider or of Kalends.
      if (!(failure instanceof Error)) throw failure;
      session.notice = { kind: 'trouble', text: `No event was moved: ${failure.message}` };
    }
    return reply.redirect('/deliveries', 303);
  });
}

/** Returns the calendars whose account has a movable event, with that event. */
function movableOf(calendars: readonly ListedCalendar[], mover: EventMover): Movable[] {
  return calendars.flatMap((calendar) => {
    const kind = KINDS[calendar.provider];
    const event = kind && mover.find(kind, calendar.id);
    return event === undefined ? [] : [{ event, calendar }];
  });
}
