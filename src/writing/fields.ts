/**
 * Reading the fields of a request one by one (wire 1): unknown ones are never looked at, null is absent, and every
 * mistake is kept under its field's name, so that a caller hears of all of them at once.
 */
import { ApiError } from '../http/api-error.ts';

export type Fields = {
  /** The value as sent; null and absence are `undefined`. */
  raw(name: string): unknown;
  /** Notes a mistake; `problem` goes on from the field's name. */
  mistake(name: string, problem: string): undefined;
  /** Text of at most `longest` characters; '' where it is empty. */
  text(name: string, longest: number): string | undefined;
  flag(name: string): boolean | undefined;
  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined;
  /** A JSON object; PHP's `[]` is an empty one. */
  object(name: string): Readonly<Record<string, unknown>> | undefined;
  list(name: string): readonly unknown[] | undefined;
  /** Whether a mistake was noted, of that field or of any. */
  failed(name?: string): boolean;
  /** Throws 400 with every mistake, if there is one. */
  done(): void;
};

/** The fields of a body; one that is no object has none, and is told as that. */
export function fieldsOf(body: unknown): Fields {
  const members = asObject(body);
  const fields = fieldsIn(members ?? {}, new Map());
  if (body !== undefined && body !== null && members === undefined) {
    fields.mistake('body', 'must be a JSON object');
    fields.done();
  }
  return fields;
}

/** The fields of an object within; mistakes are kept with those of the whole, under `prefix.name`. */
export function fieldsWithin(
  outer: Fields,
  prefix: string,
  members: Readonly<Record<string, unknown>>,
): Fields {
  const inner = fieldsIn(members, new Map());
  const problems = new Set<string>();
  return {
    ...readersOf((name) => inner.raw(name), note),
    raw: inner.raw,
    mistake: note,
    failed: (name) => (name === undefined ? problems.size > 0 : problems.has(name)),
    done: outer.done,
  };

  function note(name: string, problem: string): undefined {
    problems.add(name);
    return outer.mistake(`${prefix}.${name}`, problem);
  }
}

function fieldsIn(members: Readonly<Record<string, unknown>>, problems: Map<string, string[]>): Fields {
  const raw = (name: string): unknown =>
    Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined;
  const mistake = (name: string, problem: string): undefined => {
    problems.set(name, [...(problems.get(name) ?? []), `${name} ${problem}`]);
  };
  return {
    ...readersOf(raw, mistake),
    raw,
    mistake,
    failed: (name) => (name === undefined ? problems.size > 0 : problems.has(name)),
    done() {
      const details = Object.fromEntries(problems);
      const [message] = Object.values(details).flat();
      if (message !== undefined) throw new ApiError(400, 'invalid_request', { message, details });
    },
  };
}

type Readers = Pick<Fields, 'text' | 'flag' | 'oneOf' | 'object' | 'list'>;

function readersOf(raw: Fields['raw'], mistake: Fields['mistake']): Readers {
  return {
    text(name, longest) {
      const value = raw(name);
      if (value === undefined) return undefined;
      if (typeof value !== 'string') return mistake(name, 'must be text');
      const problem = problemOfText(value, longest);
      return problem === undefined ? value : mistake(name, problem);
    },
    flag(name) {
      const value = raw(name);
      if (value === undefined || typeof value === 'boolean') return value;
      return mistake(name, 'must be true or false');
    },
    oneOf(name, values) {
      const value = raw(name);
      if (value === undefined || value === '') return undefined;
      const found = values.find((known) => typeof value === 'string' && known === value.trim().toLowerCase());
      return found ?? mistake(name, `must be one of ${values.join(', ')}`);
    },
    object(name) {
      const value = raw(name);
      if (value === undefined) return undefined;
      return asObject(value) ?? mistake(name, 'must be an object');
    },
    list(name) {
      const value = raw(name);
      if (value === undefined || Array.isArray(value)) return value;
      return mistake(name, 'must be a list');
    },
  };
}

/** What no calendar can keep: half a surrogate pair, and control characters besides tabs and line breaks. */
const UNKEEPABLE = /[^\P{Cc}\t\n\r]/u;

/** What is wrong with a text; `undefined` when nothing is. */
export function problemOfText(text: string, longest: number): string | undefined {
  if (text.length > longest) return `must not be longer than ${longest.toLocaleString('en')} characters`;
  if (!text.isWellFormed() || UNKEEPABLE.test(text)) return 'must not contain control characters';
  return undefined;
}

export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? {} : undefined;
  // Not null and no array: its members can be asked for by name.
  return value as Readonly<Record<string, unknown>>;
}
