/** Reads the form of an operation as a request. */
import type { OperationField, OperationForm } from './operation-forms.ts';

/** A request as it is shown: placeholders stand for the test user's tokens. */
export type Call = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly credentials: 'user' | 'application' | 'none';
};

export const TOKEN_WORDS = { refreshToken: 'REFRESH_TOKEN', accessToken: 'ACCESS_TOKEN' } as const;

/** The reason why the form gives no request, and the invalid field. */
export class UnreadableCall extends Error {
  readonly field: string;
  readonly reason: 'missing' | 'json' | 'number' | 'characters';
  constructor(field: string, reason: UnreadableCall['reason']) {
    super(reason);
    this.name = 'UnreadableCall';
    this.field = field;
    this.reason = reason;
  }
}

/** Returns a field of the form, or the empty text if there is none. */
export type Typed = (name: string) => string;

/** The field that contains the whole body as JSON, instead of single fields. */
export const WHOLE_BODY = 'json';
/** The field of the application's secret, which is used for one call and not stored. */
export const SECRET_FIELD = 'secret';

/** Reads the request. Empty fields are not sent. Throws UnreadableCall. */
export function readCall(form: OperationForm, typed: Typed): Call {
  const given = form.fields.flatMap((field) => {
    const text = typed(field.name);
    if (text === '' && field.place === 'path') throw new UnreadableCall(field.label, 'missing');
    // In a path these would lead to another route.
    if (field.place === 'path' && /^\.\.?$/.test(text)) throw new UnreadableCall(field.label, 'characters');
    return text === '' ? [] : [{ field, text }];
  });
  const at = (place: OperationField['place']) => given.filter(({ field }) => field.place === place);
  const path = at('path').reduce(
    (filled, { field, text }) => filled.replace(`{${field.label}}`, encodeURIComponent(text)),
    form.path,
  );
  const query = String(new URLSearchParams(at('query').map(({ field, text }) => [field.label, text])));
  const headers = at('header').map(({ field, text }) => {
    // Other characters are invalid in HTTP headers or could begin another header.
    if (!/^[\x20-\x7e]+$/.test(text)) throw new UnreadableCall(field.label, 'characters');
    return [field.label, text] as const;
  });
  const whole = typed(WHOLE_BODY).trim();
  const members = () => at('body').map(({ field, text }) => [field.label, typedValue(field, text)] as const);
  const body = whole === '' ? Object.fromEntries(members()) : parsed('JSON', whole);
  return {
    method: form.method,
    path: query === '' ? path : `${path}?${query}`,
    headers: Object.fromEntries(headers),
    body: form.hasBody ? body : undefined,
    credentials: chooseCredentials(form, typed),
  };
}

function chooseCredentials({ caller }: OperationForm, typed: Typed): Call['credentials'] {
  if (caller === 'user' || (caller === 'either' && typed(SECRET_FIELD) === '')) return 'user';
  return typed(SECRET_FIELD) === '' ? 'none' : 'application';
}

function typedValue({ label, kind }: OperationField, text: string): unknown {
  switch (kind) {
    case 'number': {
      const number = Number(text);
      if (!Number.isFinite(number)) throw new UnreadableCall(label, 'number');
      return number;
    }
    case 'flag':
      return text === 'true';
    case 'json':
      return parsed(label, text);
    default:
      return text;
  }
}

function parsed(label: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableCall(label, 'json');
  }
}
