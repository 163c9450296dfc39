/**
 * The fields of requests (docs/wire.md 1). A request is a table of fields, and each field states once how it is read and
 * what the reference says of it. Unknown members are ignored, null means absent, and all mistakes are reported together.
 */
import { ANY_CALL, ApiError } from './refusal.ts';

/** A mistake in a field; `problem` continues a sentence that begins with the field's name. */
export type Mistake = { readonly field: string; readonly problem: string };

/** The result of reading an input. `value` is complete only if there are no mistakes. */
export type Checked<T> = { readonly value: T; readonly mistakes: readonly Mistake[] };

/** Throws 400 with every mistake under its field's name, if there is one; the first is the message. */
export function refuseMistakes(mistakes: readonly Mistake[]): void {
  const [first] = mistakes;
  if (first === undefined) return;
  const sentence = ({ field, problem }: Mistake) => `${field} ${problem}`;
  const byField = Map.groupBy(mistakes, ({ field }) => field);
  const details = Object.fromEntries([...byField].map(([name, all]) => [name, all.map(sentence)]));
  throw new ApiError(ANY_CALL.invalid_request, { message: sentence(first), details });
}

/** Returns a whole number in English, such as `10,000`. Takes a hundredth of the time of `toLocaleString`. */
export const thousands = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** The problems that any field can have; each continues a sentence that begins with the field's name. */
export const SENTENCES = {
  missing: 'is missing',
  noText: 'must be text',
  tooLong: (max: number) => `must not be longer than ${thousands(max)} characters`,
  controls: 'must not contain control characters',
  noFlag: 'must be true or false',
  noObject: 'must be an object',
  noWholeNumber: (min: number, max: number) => `must be a whole number from ${min} to ${thousands(max)}`,
  noTime: (example: string) => `must be a date and time such as ${example}`,
};

export type Members = Readonly<Record<string, unknown>>;

/** A JSON Schema; one with an `$id` is a component of the OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;

/** Notes a mistake. `path` leads to a part of the field, such as `.start` or `[0]`. */
export type Report = (problem: string, path?: string) => undefined;

/** The properties of a field that do not depend on its type. */
export type About = {
  /** Its description in the reference. */
  readonly doc?: string;
  /** Part of the example of the request. */
  readonly example?: unknown;
  /** Whether example requests have this parameter although it is optional. */
  readonly isShown?: boolean;
  /** Another name of the field, which is read if there is no value under its own. */
  readonly alias?: string;
  /** Tolerance: further values that are read although `schema` does not allow them. */
  readonly also?: Schema;
};

export type Field<T, IsRequired extends boolean = boolean> = About & {
  /** Returns what the value means, `undefined` if that is an absent field or a mistake was reported. */
  readonly read: (value: unknown, report: Report) => T | undefined;
  /** The documented values. */
  readonly schema: Schema;
  /** Tolerance: values that mean an absent field, like null. */
  readonly absent?: Schema | undefined;
  /** The fields of an object, or of the objects in a list. */
  readonly fields?: Table | undefined;
  readonly isRequired: IsRequired;
};

export type Table = Readonly<Record<string, Field<unknown>>>;

/**
 * The result of reading a request with the fields of a table. For `{ id: required(text({ max: 9 })), own: flag() }` it is
 * `{ id: string; own: boolean | undefined }`.
 */
export type Input<T extends Table> = {
  readonly [Name in keyof T]: T[Name] extends Field<infer Value, true>
    ? Value
    : T[Name] extends Field<infer Value>
      ? Value | undefined
      : never;
};

/**
 * Checks fields together and reports what is wrong with one of them. A field that is absent or wrong is `undefined`. For
 * example `({ from, to }, report) => from && to && from >= to && report('to', 'must be after from')`.
 */
export type Check<T extends Table> = (
  input: { readonly [Name in keyof T]: Input<T>[Name] | undefined },
  report: (field: string, problem: string) => undefined,
) => unknown;

/** Reads a JSON body. Throws 400 with every mistake. */
export function readBody<T extends Table>(body: unknown, table: T, check?: Check<NoInfer<T>>): Input<T> {
  const members = asObject(body ?? {});
  if (members === undefined) refuseMistakes([{ field: 'body', problem: 'must be a JSON object' }]);
  return readMembers(members ?? {}, table, check);
}

/** Reads a query: the first of a repeated parameter counts, and a blank one is absent. Throws 400 with every mistake. */
export function readQuery<T extends Table>(query: unknown, table: T, check?: Check<NoInfer<T>>): Input<T> {
  const members = asObject(query) ?? {};
  const first = Object.keys(table).map((name) => [name, readParameter(members, name)]);
  return readMembers(Object.fromEntries(first), table, check);
}

/** Reads the members of an object. Throws 400 with every mistake. */
export function readMembers<T extends Table>(
  members: Members,
  table: T,
  check?: Check<NoInfer<T>>,
): Input<T> {
  const { value, mistakes } = checkMembers(members, table, check);
  refuseMistakes(mistakes);
  return value;
}

/** Reads the members of an object. */
export function checkMembers<T extends Table>(
  members: Members,
  table: T,
  check?: Check<NoInfer<T>>,
): Checked<Input<T>> {
  const mistakes: Mistake[] = [];
  const note = (field: string, problem: string): undefined => void mistakes.push({ field, problem });
  const sentValue = (name: string) => (Object.hasOwn(members, name) ? members[name] : null) ?? undefined;
  const input: Record<string, unknown> = {};
  for (const [name, { read, isRequired, alias = name }] of Object.entries(table)) {
    const sent = sentValue(name) === undefined ? alias : name;
    const raw = sentValue(sent);
    const before = mistakes.length;
    const report: Report = (problem, path = '') => note(`${sent}${path}`, problem);
    input[name] = raw === undefined ? undefined : read(raw, report);
    if (isRequired && input[name] === undefined && mistakes.length === before) note(name, SENTENCES.missing);
  }
  // Each member is what its field read. A required one is undefined only if a mistake was noted.
  const value = input as Input<T>;
  check?.(value, note);
  return { value, mistakes };
}

/** Returns the first value of a parameter, or `undefined` if it is blank. */
export function readParameter(query: Members, name: string): string | undefined {
  const value = query[name];
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first.trim() !== '' ? first : undefined;
}

export const required = <T>(field: Field<T>): Field<T, true> => ({ ...field, isRequired: true });

/** A field that `parse` reads; `problem` is reported if it returns `undefined`. */
export function parsed<T>(
  parse: (value: unknown) => T | undefined,
  { problem, schema, ...about }: About & { readonly problem: string; readonly schema: Schema },
): Field<T, false> {
  return { ...about, schema, isRequired: false, read: (value, report) => parse(value) ?? report(problem) };
}

/** Converts what a field reads; `convert` reports what is wrong with the value. */
export function converted<T, U>(
  field: Field<T>,
  convert: (value: T, report: Report) => U | undefined,
): Field<U, false> {
  const read = (value: unknown, report: Report) => {
    const input = field.read(value, report);
    return input === undefined ? undefined : convert(input, report);
  };
  return { ...field, read, isRequired: false };
}

export const BLANK = /^\s*$/;

export type TextAbout = About & {
  /** In UTF-16 code units, inclusive. */
  readonly max?: number;
  /** Texts that mean an absent field: the empty one unless given. */
  readonly absent?: RegExp | 'never';
  /** Reads control characters too. */
  readonly allowsControls?: boolean;
  readonly schema?: Schema;
};

export function text(options: TextAbout): Field<string, false> {
  const { max = Number.POSITIVE_INFINITY, absent = /^$/, allowsControls = false, schema, ...about } = options;
  const blank = absent === 'never' ? undefined : absent;
  const filled = absent === BLANK ? { pattern: '\\S' } : blank && { minLength: 1 };
  return {
    ...about,
    absent: blank && { type: 'string', pattern: blank.source },
    schema: { type: 'string', ...(Number.isFinite(max) && { maxLength: max }), ...(schema ?? filled) },
    isRequired: false,
    read(value, report) {
      if (typeof value !== 'string') return report(SENTENCES.noText);
      if (blank?.test(value)) return undefined;
      if (allowsControls && value.length <= max) return value;
      const problem = problemOfText(value, max);
      return problem === undefined ? value : report(problem);
    },
  };
}

/** Text that `parse` reads; `problem` is reported if it returns `undefined`, and for anything but text. */
export function parsedText<T>(
  parse: (text: string) => T | undefined,
  { problem, ...options }: TextAbout & { readonly problem: string },
): Field<T, false> {
  const field = text({ allowsControls: true, ...options });
  const parseField = converted(field, (value, report) => parse(value) ?? report(problem));
  const read = (value: unknown, report: Report) =>
    typeof value === 'string' ? parseField.read(value, report) : report(problem);
  return { ...field, read };
}

/** A field whose value is one of these words. Case and surrounding spaces are ignored. */
export const oneOf = <const T extends string>(values: readonly T[], about: About = {}): Field<T, false> =>
  parsedText((word) => values.find((one) => one.toLowerCase() === word.trim().toLowerCase()), {
    also: { type: 'string', pattern: `^\\s*(${values.map(anyCase).join('|')})\\s*$` },
    ...about,
    schema: { enum: [...values] },
    problem: `must be one of ${values.join(', ')}`,
  });

export const anyCase = (word: string): string =>
  word.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);

export const flag = (about: About = {}): Field<boolean, false> =>
  parsed((value) => (typeof value === 'boolean' ? value : undefined), {
    ...about,
    schema: { type: 'boolean' },
    problem: SENTENCES.noFlag,
  });

type Range = About & { readonly min: number; readonly max: number };

/** A whole number from `min` to `max`, both inclusive. */
export function wholeNumber({ min, max, ...about }: Range): Field<number, false> {
  const isWhole = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value);
  return parsed((value) => (isWhole(value) && value >= min && value <= max ? value : undefined), {
    ...about,
    schema: { type: 'integer', minimum: min, maximum: max },
    problem: SENTENCES.noWholeNumber(min, max),
  });
}

/** The same in a query, where it is text. */
export function wholeNumberText(range: Range): Field<number, false> {
  const field = wholeNumber(range);
  const parseNumber = (text: unknown) => (/^\d{1,6}$/.test(String(text)) ? Number(text) : undefined);
  return { ...field, read: (value, report) => field.read(parseNumber(value), report) };
}

/** A JSON object with the fields of `table`; PHP's `[]` is an empty one. `name` is that of its component. */
export function object<T extends Table>(
  table: T,
  { name, check, ...about }: About & { readonly name?: string; readonly check?: Check<NoInfer<T>> } = {},
): Field<Input<T>, false> {
  const anyMembers = anyObject({ ...about, schema: objectSchema(table, name) });
  const field = converted(anyMembers, (members, report) => {
    const { value, mistakes } = checkMembers(members, table, check);
    for (const { field, problem } of mistakes) report(problem, `.${field}`);
    return mistakes.length === 0 ? value : undefined;
  });
  return { ...field, fields: table };
}

/** A JSON object of any members; PHP's `[]` is an empty one. */
export const anyObject = (about: About & { readonly schema?: Schema } = {}): Field<Members, false> =>
  parsed(asObject, {
    schema: { type: 'object' },
    also: { type: 'array', maxItems: 0 },
    ...about,
    problem: SENTENCES.noObject,
  });

export function objectSchema(table: Table, name?: string, description?: string): Schema {
  const fields = Object.entries(table);
  const properties = fields.map(([field, { doc, schema }]) => [field, { ...schema, description: doc }]);
  const names = fields.filter(([, { isRequired }]) => isRequired).map(([field]) => field);
  const required = names.length > 0 ? names : undefined;
  // JSON omits undefined members.
  return { $id: name, type: 'object', description, required, properties: Object.fromEntries(properties) };
}

/** Control characters besides tabs and line breaks: no calendar can store them. */
const UNKEEPABLE = /[^\P{Cc}\t\n\r]/u;

/** Returns what is wrong with a text, or `undefined`. */
export function problemOfText(value: string, max: number): string | undefined {
  if (value.length > max) return SENTENCES.tooLong(max);
  if (!value.isWellFormed() || UNKEEPABLE.test(value)) return SENTENCES.controls;
  return undefined;
}

export function asObject(value: unknown): Members | undefined {
  if (Array.isArray(value)) return value.length === 0 ? {} : undefined;
  // Neither null nor an array: its members can be read by name.
  return typeof value === 'object' && value !== null ? (value as Members) : undefined;
}
