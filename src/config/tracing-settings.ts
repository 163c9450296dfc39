/**
 * Where traces go. The variables of OpenTelemetry (its specification, Environment Variables) apply where no KALENDS_*
 * setting does. A variable that cannot be used prevents tracing, but not the start.
 */
import { endpoint, type Option, oneOf, openIdIssuer, type ValuesOf } from './option.ts';
import { share, TRACING } from './server-options.ts';

export type TracingSettings = Pick<ValuesOf<typeof TRACING>, 'headers' | 'tells'> & {
  /** The URL that spans are posted to. */
  readonly url: string;
  /** The fraction of traces to sample, from 0 to 1. */
  readonly sampling: number;
  /** Whether the decision of a trusted proxy that began the trace applies instead. */
  readonly followsParent: boolean;
  /** Attributes of the resource, in addition to the program's or instead of them. */
  readonly attributes: Readonly<Record<string, string>>;
};

type Given = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly values: ValuesOf<typeof TRACING>;
  readonly isSet: (option: Option) => boolean;
};

/** Returns the settings, nothing if no collector is set, or a problem. It has no values, because headers are secret. */
export function readTracing({ env, values, isSet }: Given): {
  readonly tracing?: Readonly<TracingSettings>;
  readonly tracingProblem?: string;
} {
  try {
    const read = reader(env);
    const url = values.endpoint === undefined ? readUrl(read) : tracesAt(values.endpoint);
    if (url === undefined) return {};
    const { headers, sampling, tells } = values;
    const name = read(['OTEL_SERVICE_NAME'], (text) => ({ 'service.name': text }));
    const tracing = {
      ...{ url, tells, sampling, followsParent: true },
      ...(isSet(TRACING.sampling) ? {} : readSampler(read)),
      headers: (isSet(TRACING.headers) ? undefined : read(variableNames('HEADERS'), headerPairs)) ?? headers,
      attributes: { ...read(['OTEL_RESOURCE_ATTRIBUTES'], pairs), ...name },
    };
    return { tracing: Object.freeze(tracing) };
  } catch (reason) {
    return { tracingProblem: reason instanceof Error ? reason.message : String(reason) };
  }
}

const variableNames = (suffix: string) => [
  `OTEL_EXPORTER_OTLP_TRACES_${suffix}`,
  `OTEL_EXPORTER_OTLP_${suffix}`,
];
const tracesAt = (base: string): string => `${base}/v1/traces`;

type Reader = ReturnType<typeof reader>;

/** Returns a function that parses the first of the variables that is set. An empty one is not. */
const reader =
  (env: Given['env']) =>
  <T>(names: readonly string[], parse: (text: string) => T): T | undefined => {
    const name = names.find((each) => env[each]);
    try {
      return name === undefined ? undefined : parse(env[name] ?? '');
    } catch (reason) {
      throw new Error(`${name} ${reason instanceof Error ? reason.message : String(reason)}`);
    }
  };

function readUrl(read: Reader): string | undefined {
  const isDisabled = read(['OTEL_SDK_DISABLED'], (text) => text.toLowerCase()) === 'true';
  if (isDisabled || read(['OTEL_TRACES_EXPORTER'], oneOf('otlp', 'none')) === 'none') return undefined;
  const [ofTraces = '', ofAll = ''] = variableNames('ENDPOINT');
  const url = read([ofTraces], openIdIssuer) ?? read([ofAll], (text) => tracesAt(endpoint(text)));
  // Collectors read JSON, which Kalends sends, at the same address as Protobuf.
  if (url !== undefined) read(variableNames('PROTOCOL'), oneOf('http/json', 'http/protobuf'));
  return url;
}

function readSampler(read: Reader) {
  const argument = read(['OTEL_TRACES_SAMPLER_ARG'], share) ?? 1;
  return read(['OTEL_TRACES_SAMPLER'], (text) => {
    const [, parent, kind] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(text) ?? [];
    if (kind === undefined)
      throw new Error('must be always_on, always_off or traceidratio, or one of them after parentbased_');
    const sampling = kind === 'traceidratio' ? argument : Number(kind === 'always_on');
    return { sampling, followsParent: parent !== undefined };
  });
}

/** Parses NAME=VALUE, separated by commas, with percent-encoded values. */
function pairs(text: string): Readonly<Record<string, string>> {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  try {
    return Object.fromEntries(
      parts.map((part) => {
        const at = part.indexOf('=');
        if (at < 1) throw new URIError(part);
        return [part.slice(0, at), part.slice(at + 1)].map((each) => decodeURIComponent(each.trim()));
      }),
    );
  } catch {
    throw new Error('must be NAME=VALUE, separated by commas, with percent-encoded values');
  }
}

function headerPairs(text: string): Readonly<Record<string, string>> {
  const given = pairs(text);
  try {
    return Object.freeze(Object.fromEntries(new Headers(given)));
  } catch {
    // The error would have the value.
    throw new Error('must be names and values of HTTP headers');
  }
}
