/** Test deliveries to an endpoint: signed like others, without changes, and marked as a test. */
import { randomUUID } from 'node:crypto';
import { type DeliveryEvent, messageBody } from './message-body.ts';
import { type Outcome, type SendDeps, type SentMessage, sendMessage } from './send-message.ts';

const HOUR_MS = 3_600_000;

/** Sends one test delivery, without logging it. */
export function sendTest(
  endpoint: Omit<SentMessage, 'messageId' | 'body'>,
  deps: SendDeps,
): Promise<Outcome> {
  const { clientId } = endpoint;
  const now = deps.now();
  const calendar = { provider: 'caldav', href: 'test' } as const;
  const event: DeliveryEvent = {
    provider: calendar.provider,
    id: 'test',
    calendarId: calendar.href,
    title: 'A test of your webhook',
    start: new Date(now).toISOString(),
    end: new Date(now + HOUR_MS).toISOString(),
    allDay: false,
    changeType: 'created',
  };
  const facts = { clientId, userId: 'test', calendar, channelId: 'test', sequence: 0, now, test: true };
  const body = messageBody([event], facts);
  return sendMessage({ ...endpoint, messageId: `msg_${randomUUID()}`, body }, deps);
}
