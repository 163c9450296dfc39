/** What `kalends listen` does with a delivery: it is passed on as it is, and shown in one line. */
import { causeOf, type HandedDelivery } from './listen-requests.ts';

export type PassingOn = {
  readonly forwardTo: string | undefined;
  /** The last number that came of each calendar. */
  readonly gaps: Map<string, number>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** As Kalends waits for an endpoint. */
const PATIENCE_MS = 15_000;

type Outcome = { readonly status?: number; readonly fault?: string; readonly durationMs: number };

/** Posts the same bytes under the same headers, once. Answers what is printed of it; never throws for what a receiver does. */
export async function deliver(
  delivery: HandedDelivery,
  { forwardTo, gaps, now }: PassingOn,
): Promise<{ readonly document: object; readonly words: string }> {
  const outcome = forwardTo === undefined ? undefined : await forward(delivery, forwardTo);
  const told = toldOf(delivery);
  const missed = missedBefore(told, gaps);
  const lost = missed > 0 ? [`${missed} before this one did not come`] : [];
  const words = [[new Date(now()).toLocaleTimeString('en-GB'), told.what, told.of].join('  '), ...lost].join(
    '  ',
  );
  return {
    document: {
      id: delivery.headers['webhook-id'],
      missed,
      status: outcome?.status ?? null,
      fault: outcome?.fault ?? null,
      duration_ms: outcome?.durationMs ?? null,
      headers: delivery.headers,
      body: told.body,
    },
    words: outcome === undefined ? words : `${words}  ->  ${textOf(outcome)}`,
  };
}

async function forward({ headers, body }: HandedDelivery, url: string): Promise<Outcome> {
  const from = performance.now();
  const lasted = () => Math.round(performance.now() - from);
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await answer.body?.cancel();
    return { status: answer.status, durationMs: lasted() };
  } catch (reason) {
    return { fault: causeOf(reason), durationMs: lasted() };
  }
}

const textOf = ({ status, fault, durationMs }: Outcome): string => `${status ?? fault} in ${durationMs} ms`;

type Told = {
  readonly what: string;
  readonly of: string;
  readonly body: Record<string, unknown>;
  readonly stream: string;
  readonly sequence: number | undefined;
};

/** Kalends made it: what is no such message is shown as it is. */
function toldOf({ body: text }: HandedDelivery): Told {
  const body: Record<string, unknown> = JSON.parse(text);
  const { eventType, changeType, provider, userId, calendarId } = body;
  const metadata: Record<string, unknown> = { ...(body.metadata as object | undefined) }; // a member that is always an object
  const count = metadata.isInitialSync === true ? 'first sync, ' : '';
  const number = Number(metadata.eventCount ?? 0);
  const events = `${count}${number} ${number === 1 ? 'event' : 'events'}`;
  const of = [provider, userId, calendarId].filter((part) => part !== undefined && part !== null).join('  ');
  const sequence = typeof metadata.sequence === 'number' ? metadata.sequence : undefined;
  const stream = JSON.stringify([userId, calendarId]);
  const what = eventType === undefined ? `${String(changeType)} (${events})` : String(eventType);
  return { what, of, body, stream, sequence };
}

function missedBefore({ stream, sequence }: Told, gaps: Map<string, number>): number {
  if (sequence === undefined) return 0;
  const last = gaps.get(stream);
  gaps.set(stream, sequence);
  return last === undefined || sequence <= last ? 0 : sequence - last - 1;
}
