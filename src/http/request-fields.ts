/**
 * Reading a request's body or query, once, into a typed input (docs/wire.md 1): unknown fields are never
 * looked at, null is absent, and every mistake is kept under its field's name, so that a caller hears of all
 * of them at once.
 */
import { ApiError } from './refusal.ts';

/** What is wrong with a field; `problem` goes on from the field's name. */
export type Mistake = { readonly field: string; readonly problem: string };

/** What was made of an input, worth something only where there is no mistake. */
export type Checked<T> = { readonly value: T; readonly mistakes: readonly Mistake[] };

/** Throws 400 with every mistake under its field's name, if there is one; the first is the message. */
export function refuseMistakes(mistakes: readonly Mistake[]): void {
  const sentences = mistakes.map(({ field, problem }) => ({ field, sentence: `${field} ${problem}` }));
  const [first] = sentences;
  if (first === undefined) return;
  const byField = Map.groupBy(sentences, ({ field }) => field);
  const details = Object.fromEntries(
    [...byField].map(([name, all]) => [name, all.map((one) => one.sentence)]),
  );
  // What is told first is what the details tell first.
  throw new ApiError(400, 'invalid_request', { message: first.sentence, details });
}

/** The sentences that refuse a field, whatever feature it is of; each goes on from the field's name. */
export const SENTENCES = {
  missing: 'is missing',
  noText: 'must be text',
  tooLong: (longest: number) => `must not be longer than ${longest.toLocaleString('en')} characters`,
  controls: 'must not contain control characters',
  noFlag: 'must be true or false',
  noneOf: (values: readonly string[]) => `must be one of ${values.join(', ')}`,
  noObject: 'must be an object',
  noList: 'must be a list',
  noWholeNumber: (least: number, most: number | string) => `must be a whole number from ${least} to ${most}`,
  noTime: (example: string) => `must be a date and time such as ${example}`,
  noZone: (example: string) => `must be an IANA time zone such as ${example}`,
  reversed: 'must not be before start',
  notBefore: 'must be before end',
};

/** What a value is instead of what it should be. */
class Problem {
  readonly sentence: string;

  constructor(sentence: string) {
    this.sentence = sentence;
  }
}

/** A value as it is meant, `undefined` where it is as good as absent, or what is wrong with it. */
export type Parse<T> = (value: unknown) => T | undefined | Problem;

export type Fields = {
  /** The value as sent; null and absence are `undefined`. */
  raw(name: string): unknown;
  /** `undefined` where the field is absent, and where a mistake was noted. */
  optional<T>(name: string, parse: Parse<T>): T | undefined;
  /** Where a mistake was noted, the answer is not what the type says: look at it in no other way than `failed`. */
  required<T>(name: string, parse: Parse<T>): T;
  mistake(name: string, problem: string): undefined;
  /** Whether a mistake was noted, of that field or of any. */
  failed(name?: string): boolean;
  /** The fields of an object within; their mistakes are kept under `prefix.name`. */
  within(prefix: string, members: Members): Fields;
};

export type Members = Readonly<Record<string, unknown>>;

/** The input that `read` makes of a JSON body. Throws 400 with every mistake that was noted. */
export function readBody<T>(body: unknown, read: (fields: Fields) => T): T {
  const members = asObject(body);
  if (members === undefined && body !== undefined && body !== null) {
    refuseMistakes([{ field: 'body', problem: 'must be a JSON object' }]);
  }
  return readMembers(members ?? {}, read);
}

/** The same of a query: the first of a repeated parameter counts, and a blank one is absent. */
export function readQuery<T>(query: Members, read: (fields: Fields) => T): T {
  const members = Object.keys(query).map((name) => [name, parameterOf(query, name)]);
  return readMembers(Object.fromEntries(members), read);
}

/** The first of a parameter; a blank one is absent. */
export function parameterOf(query: Members, name: string): string | undefined {
  const value = query[name];
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first.trim() !== '' ? first : undefined;
}

/** The same of members that were put together. */
export function readMembers<T>(members: Members, read: (fields: Fields) => T): T {
  const mistakes: Mistake[] = [];
  const input = read(fieldsOf(members, '', mistakes));
  refuseMistakes(mistakes);
  return input;
}

function fieldsOf(members: Members, prefix: string, mistakes: Mistake[]): Fields {
  const raw = (name: string): unknown =>
    Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined;
  const mistake = (name: string, problem: string): undefined => {
    mistakes.push({ field: `${prefix}${name}`, problem });
  };
  const failed = (name?: string): boolean =>
    mistakes.some(({ field }) =>
      name === undefined ? field.startsWith(prefix) : field === `${prefix}${name}`,
    );
  const optional = <T>(name: string, parse: Parse<T>): T | undefined => {
    const value = raw(name);
    const parsed = value === undefined ? undefined : parse(value);
    return parsed instanceof Problem ? mistake(name, parsed.sentence) : parsed;
  };
  return {
    raw,
    mistake,
    failed,
    optional,
    required<T>(name: string, parse: Parse<T>): T {
      const parsed = optional(name, parse);
      if (parsed === undefined && !failed(name)) mistake(name, SENTENCES.missing);
      // Where there is none a mistake was noted, for which readMembers throws.
      return parsed as T;
    },
    within: (name, inner) => fieldsOf(inner, `${prefix}${name}.`, mistakes),
  };
}

/** A value that `read` makes something of; `sentence` where it makes nothing. */
export function valueRead<T>(read: (value: unknown) => T | undefined, sentence: string): Parse<T> {
  return (value) => read(value) ?? new Problem(sentence);
}

/** A text that `read` makes something of; `sentence` where it makes nothing, and for what is no text. */
export function textRead<T>(read: (text: string) => T | undefined, sentence: string): Parse<T> {
  return valueRead((value) => (typeof value === 'string' ? read(value) : undefined), sentence);
}

/** Text of at most `longest` characters; '' where it is empty. */
export function text(longest: number): Parse<string> {
  return (value) => {
    if (typeof value !== 'string') return new Problem(SENTENCES.noText);
    const problem = problemOfText(value, longest);
    return problem === undefined ? value : new Problem(problem);
  };
}

export const anyText: Parse<string> = textRead((value) => value, SENTENCES.noText);

/** Text that says something: an empty one is absent. */
export function filledText(longest: number): Parse<string> {
  return unlessEmpty(text(longest));
}

export const flag: Parse<boolean> = valueRead(
  (value) => (typeof value === 'boolean' ? value : undefined),
  SENTENCES.noFlag,
);

/** One of these words, whatever its case; an empty text is absent. */
export function oneOf<const T extends string>(values: readonly T[]): Parse<T> {
  return unlessEmpty(
    textRead((word) => values.find((one) => one === word.trim().toLowerCase()), SENTENCES.noneOf(values)),
  );
}

/** An empty text is absent. */
export function unlessEmpty<T>(parse: Parse<T>): Parse<T> {
  return (value) => (value === '' ? undefined : parse(value));
}

/** A whole number; `shownMost` is how its refusal writes `most`. */
export function wholeNumber(least: number, most: number, shownMost = String(most)): Parse<number> {
  return valueRead(
    (value) => (isWhole(value) && value >= least && value <= most ? value : undefined),
    SENTENCES.noWholeNumber(least, shownMost),
  );
}

const isWhole = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value);

/** A JSON object; PHP's `[]` is an empty one. */
export const object: Parse<Members> = valueRead(asObject, SENTENCES.noObject);

export const list: Parse<readonly unknown[]> = valueRead(
  (value) => (Array.isArray(value) ? value : undefined),
  SENTENCES.noList,
);

/** What no calendar can keep: half a surrogate pair, and control characters besides tabs and line breaks. */
const UNKEEPABLE = /[^\P{Cc}\t\n\r]/u;

/** What is wrong with a text; `undefined` when nothing is. */
export function problemOfText(value: string, longest: number): string | undefined {
  if (value.length > longest) return SENTENCES.tooLong(longest);
  if (!value.isWellFormed() || UNKEEPABLE.test(value)) return SENTENCES.controls;
  return undefined;
}

export function asObject(value: unknown): Members | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? {} : undefined;
  // Not null and no array: its members can be asked for by name.
  return value as Members;
}
