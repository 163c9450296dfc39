/** Sends spans to a collector in batches. The queue is bounded; rejected spans are dropped and counted. */
import type { Log } from '../lib/log.ts';
import { onceAMinute } from '../lib/once-a-minute.ts';
import { within } from '../lib/within.ts';
import type { Attributes, EndedSpan, SpanKind } from './tracer.ts';

type Exporter = {
  add(span: EndedSpan): void;
  /** Sends the queue within `stopMs`. */
  stop(): Promise<void>;
};

type ExporterOptions = {
  /** The URL that spans are posted to, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly program: TracedProgram;
  readonly log: Pick<Log, 'warn'>;
  /** Called with the number of sent or dropped spans. */
  readonly exportEnded: (outcome: 'sent' | 'dropped', spans: number) => void;
  /** In milliseconds; 2,000 by default. */
  readonly everyMs?: number;
  /** The maximum duration of `stop`, in milliseconds; 5,000 by default. */
  readonly stopMs?: number;
};

const EVERY_MS = 2_000;
const MOST_WAITING = 4_096;
const MOST_TOGETHER = 512;
const TIMEOUT_MS = 5_000;
const STOP_MS = 5_000;

export const startExporter = (options: ExporterOptions): Exporter => new OtlpExporter(options);

class OtlpExporter implements Exporter {
  readonly #options: ExporterOptions;
  readonly #timer: NodeJS.Timeout;
  #waiting: EndedSpan[] = [];
  #sending: Promise<void> | undefined;
  readonly #warn = onceAMinute((reason: string, dropped) =>
    this.#options.log.warn({ event: 'spans_dropped', dropped, reason }, 'Spans of traces were dropped'),
  );

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#send(), options.everyMs ?? EVERY_MS).unref();
  }

  add(span: EndedSpan): void {
    if (this.#waiting.length >= MOST_WAITING) this.#drop(1, 'too many wait');
    else if (this.#waiting.push(span) >= MOST_TOGETHER) this.#send();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await within(this.#options.stopMs ?? STOP_MS, this.#sendRest());
  }

  async #sendRest(): Promise<void> {
    await this.#sending;
    this.#send();
    await this.#sending;
  }

  #send(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.splice(0, MOST_TOGETHER);
      const problem = await this.#post(spans);
      if (problem === undefined) this.#options.exportEnded('sent', spans.length);
      else {
        // The others wait, so that an unreachable collector is not tried repeatedly.
        this.#drop(spans.length, problem);
        return;
      }
    }
  }

  /** Returns why the collector rejected the spans. */
  async #post(spans: readonly EndedSpan[]): Promise<string | undefined> {
    const { url, headers, program } = this.#options;
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: otlpJson(spans, program),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer.body?.cancel();
      return answer.ok ? undefined : `the collector returned ${answer.status}`;
    } catch (reason) {
      const { cause } = reason instanceof Error ? reason : {};
      const error = cause instanceof Error ? cause : reason;
      return error instanceof Error ? error.message : String(error);
    }
  }

  #drop(spans: number, reason: string): void {
    this.#options.exportEnded('dropped', spans);
    this.#warn(reason, spans);
  }
}

/** The program that created the spans. */
type TracedProgram = {
  readonly version: string;
  readonly instanceId: string;
  /** Attributes of the resource, in addition to those above or instead of them. */
  readonly attributes?: Attributes;
};

const KINDS: Readonly<Record<SpanKind, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5,
};
const STATUS_ERROR = 2;

/** Returns the body of a request to `/v1/traces`. */
function otlpJson(spans: readonly EndedSpan[], program: TracedProgram): string {
  const { version, instanceId, attributes } = program;
  const resource = {
    attributes: listed({
      'service.name': 'kalends',
      'service.version': version,
      'service.instance.id': instanceId,
      ...attributes,
    }),
  };
  const scopeSpans = [{ scope: { name: 'kalends', version }, spans: spans.map(toOtlpSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] });
}

const toOtlpSpan = ({ context, parentSpanId, kind, name, ...span }: EndedSpan) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(parentSpanId === undefined ? {} : { parentSpanId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanoseconds(span.startedAt),
  endTimeUnixNano: nanoseconds(span.endedAt),
  attributes: listed(span.attributes),
  status: span.isError ? { code: STATUS_ERROR } : {},
});

const listed = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );

function anyValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  return typeof value === 'number' ? { intValue: String(Math.round(value)) } : { boolValue: value };
}

/** Uses text, because a number cannot hold today's time in nanoseconds. */
const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds * 1_000)}000`;
