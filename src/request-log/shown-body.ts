/** Reduces an error's body to what is stored, without the caller's input or a provider's text about a user. */

const MOST_BYTES = 2000;
/** Other fields of an error may contain an event or addresses of accounts. */
const KEPT_FIELDS = ['error', 'error_description', 'code', 'message', 'details', 'requestId'];
/** Shorter values are harmless, and words such as `read` need no masking. */
const LEAST_CHARACTERS = 5;
/** The limits of masked input. For larger requests only codes are stored. */
const MOST_VALUES = 200;
const MOST_CHARACTERS = 20_000;
const HIDDEN = '…';
const MAIL_ADDRESS = /[^\s"'<>@]+@[^\s"'<>@]+/g;

type Refused = {
  readonly body: string | undefined;
  /** Undefined if there is none; then the error's message contains the requested address. */
  readonly route: string | undefined;
  readonly received: readonly unknown[];
};

/** Returns at most 2 kB of JSON; `undefined` if nothing is stored. */
export function toStoredBody({ body, route, received }: Refused): string | undefined {
  const fields = parseBodyFields(body);
  if (fields === undefined) return undefined;
  const values = route === undefined ? undefined : listSentTexts(received);
  const hide = (text: string) => maskValues(text, values ?? []);
  const names = values === undefined ? ['error', 'code', 'requestId'] : KEPT_FIELDS;
  const fieldNames = names.filter((name) => fields[name] !== undefined);
  const text = JSON.stringify(
    Object.fromEntries(fieldNames.map((name) => [name, mapped(fields[name], hide)])),
  );
  if (Buffer.byteLength(text) <= MOST_BYTES) return text;
  const { error, code } = fields;
  return JSON.stringify({ error: shortened(error), code: shortened(code) });
}

/** Parses a response body; undefined if it is not a JSON object. */
export function parseBodyFields(body: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (body === undefined || !body.startsWith('{')) return undefined;
  // The JSON of our own response.
  return JSON.parse(body) as Record<string, unknown>;
}

/** Returns the message of a failed request in at most 200 characters, or its code; undefined if it has neither. */
export function renderErrorText({ body }: { readonly body: string | undefined }): string | undefined {
  const { message, error_description: description, code, error } = parseBodyFields(body) ?? {};
  return [message, description, code, error].find((text) => typeof text === 'string')?.slice(0, 200);
}

const shortened = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, 200) : undefined);

/** Returns the value with each text changed, and the same field names. */
function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapped(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, change)]));
}

function maskValues(text: string, values: readonly string[]): string {
  let masked = text.replaceAll(MAIL_ADDRESS, HIDDEN);
  for (const value of values) masked = masked.replaceAll(value, HIDDEN);
  return masked;
}

/** Returns the received texts, the longest first; undefined if there are too many. */
function listSentTexts(received: readonly unknown[]): string[] | undefined {
  const values = new Set<string>();
  const waiting = [...received];
  let characters = 0;
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') {
      characters += value.length;
      for (const text of [value, ...value.split(' ')]) if (text.length >= LEAST_CHARACTERS) values.add(text);
    } else if (typeof value === 'object' && value !== null) {
      waiting.push(...Object.values(value));
    }
    if (values.size + waiting.length > MOST_VALUES || characters > MOST_CHARACTERS) return undefined;
  }
  return [...values].toSorted((one, other) => other.length - one.length);
}
