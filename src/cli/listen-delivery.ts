/** Forwards a delivery unchanged for `kalends listen`, and describes it in one line. */
import { causeText, type HandedDelivery } from './listen-requests.ts';

export type PassingOn = {
  readonly forwardTo: string | undefined;
  /** The last sequence number of each stream. */
  readonly gaps: Map<string, number>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The timeout that Kalends has for endpoints. */
const PATIENCE_MS = 15_000;

type Outcome = { readonly status?: number; readonly fault?: string; readonly durationMs: number };

/** Posts the same bytes with the same headers once. Returns the output; never throws if the receiver fails. */
export async function deliver(
  delivery: HandedDelivery,
  { forwardTo, gaps, now }: PassingOn,
): Promise<{ readonly document: object; readonly message: string }> {
  const outcome = forwardTo === undefined ? undefined : await forward(delivery, forwardTo);
  const content = parseContent(delivery);
  const missed = missedBefore(content, gaps);
  const gap = missed > 0 ? [`${missed} deliveries before this one are missing`] : [];
  const time = new Date(now()).toLocaleTimeString('en-GB');
  const message = [time, content.change, content.subject, ...gap].join('  ');
  return {
    document: {
      id: delivery.headers['webhook-id'],
      missed,
      status: outcome?.status ?? null,
      fault: outcome?.fault ?? null,
      duration_ms: outcome?.durationMs ?? null,
      headers: delivery.headers,
      body: content.body,
    },
    message: outcome === undefined ? message : `${message}  ->  ${outcomeText(outcome)}`,
  };
}

async function forward({ headers, body }: HandedDelivery, url: string): Promise<Outcome> {
  const from = performance.now();
  const elapsed = () => Math.round(performance.now() - from);
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return { status: response.status, durationMs: elapsed() };
  } catch (reason) {
    return { fault: causeText(reason), durationMs: elapsed() };
  }
}

const outcomeText = ({ status, fault, durationMs }: Outcome): string =>
  `${status ?? fault} in ${durationMs} ms`;

type Content = {
  /** What changed, such as `updated (2 events)`. */
  readonly change: string;
  /** The provider, user and calendar. */
  readonly subject: string;
  readonly body: Record<string, unknown>;
  readonly stream: string;
  readonly sequence: number | undefined;
};

function parseContent({ body: text }: HandedDelivery): Content {
  const body: Record<string, unknown> = JSON.parse(text);
  const { eventType, changeType, provider, userId, calendarId } = body;
  const metadata: Record<string, unknown> = { ...(body.metadata as object | undefined) }; // Always an object.
  const count = metadata.isInitialSync === true ? 'first sync, ' : '';
  const number = Number(metadata.eventCount ?? 0);
  const events = `${count}${number} ${number === 1 ? 'event' : 'events'}`;
  const subject = [provider, userId, calendarId]
    .filter((part) => part !== undefined && part !== null)
    .join('  ');
  const sequence = typeof metadata.sequence === 'number' ? metadata.sequence : undefined;
  const stream = JSON.stringify([userId, calendarId]);
  const change = eventType === undefined ? `${String(changeType)} (${events})` : String(eventType);
  return { change, subject, body, stream, sequence };
}

function missedBefore({ stream, sequence }: Content, gaps: Map<string, number>): number {
  if (sequence === undefined) return 0;
  const last = gaps.get(stream);
  gaps.set(stream, sequence);
  return last === undefined || sequence <= last ? 0 : sequence - last - 1;
}
