/** JSON text that is rendered once and joined often. Only this file cuts and joins it; names need no escape. */
declare const MEMBERS: unique symbol;
declare const OBJECT: unique symbol;
declare const LIST: unique symbol;

/** The members of an object without its braces, as JSON.stringify writes them; empty if it has none. */
export type RenderedMembers<T extends object = object> = string & { readonly [MEMBERS]: T };
export type RenderedObject<T extends object = object> = string & { readonly [OBJECT]: T };
export type RenderedList = string & { readonly [LIST]: true };

// Each cast of this file brands text that the same line writes.

/** Renders members. A field that is undefined is left out, and half a surrogate pair becomes U+FFFD. */
export const renderMembers = <T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }) =>
  wellFormedJson(fields).slice(1, -1) as RenderedMembers<T>;

/** Many parsers refuse half a surrogate pair, which JSON.stringify writes as an escape. */
function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\ud')) return text;
  // The same letters after an escaped backslash are no escape.
  return text.replace(/\\\\|\\ud.{3}/g, (match) => (match === '\\\\' ? match : '\ufffd'));
}

export const renderMember = (name: string, value: RenderedObject | RenderedList) =>
  `"${name}":${value}` as RenderedMembers;

/** Renders an object of all these members, in this order: fields, or rendered ones. No two may have the same name. */
export function renderObject(...parts: readonly (RenderedMembers | object | undefined)[]): RenderedObject {
  let members = '';
  for (const part of parts) {
    if (part === undefined) continue;
    const text = typeof part === 'object' ? renderMembers(part) : part;
    // Concatenation does not copy strings; only the whole response is copied.
    if (text !== '') members = members === '' ? text : `${members},${text}`;
  }
  return `{${members}}` as RenderedObject;
}

export const renderList = (objects: readonly RenderedObject[]) => `[${objects.join(',')}]` as RenderedList;

/** A part that is created when it is requested. Only the caller then holds it. */
export type Piece<T> = () => Promise<T>;

/** Renders an object in parts, to be joined in order: the list named `name`, then the members of `rest`. */
export function renderInPieces(
  name: string,
  list: readonly Piece<readonly RenderedObject[]>[],
  rest: RenderedMembers,
): Piece<string>[] {
  let isFirst = true;
  const texts = list.map((piece) => async () => {
    const text = (await piece()).join(',');
    if (text === '' || !isFirst) return text && `,${text}`;
    isFirst = false;
    return text;
  });
  return [async () => `{"${name}":[`, ...texts, async () => (rest === '' ? ']}' : `],${rest}}`)];
}

export const toRenderedMembers = (object: RenderedObject) => object.slice(1, -1) as RenderedMembers;

export const readObject = <T extends object>(object: RenderedObject<T>): T => JSON.parse(object);

export const readMembers = <T extends object>(members: RenderedMembers<T>): T => JSON.parse(`{${members}}`);

/** Returns the members that have none of these names, in any order. The text is cut, not parsed. */
export function withoutMembers<T extends object, K extends keyof T>(
  members: RenderedMembers<T>,
  names: ReadonlySet<K>,
): RenderedMembers<Omit<T, K>> {
  const excluded: ReadonlySet<unknown> = names;
  let text = '';
  let from: number | undefined;
  for (let at = 0, end = 0; at < members.length; at = end + 1) {
    const nameEnd = endOfString(members, at);
    end = endOfValue(members, nameEnd + 1);
    if (!excluded.has(members.slice(at + 1, nameEnd - 1))) from ??= at;
    else if (from !== undefined) {
      text += members.slice(from, at);
      from = undefined;
    }
  }
  return (from === undefined ? text.slice(0, -1) : text + members.slice(from)) as RenderedMembers<Omit<T, K>>;
}

/** Returns the position after the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let escaped = false;
    for (let at = end - 1; text[at] === '\\'; at -= 1) escaped = !escaped;
    if (!escaped) return end + 1;
  }
  return text.length;
}

/** Returns the end of the value that begins at `start`: the comma after it, or the end of the text. */
function endOfValue(text: string, start: number): number {
  for (let at = start, depth = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at) - 1;
    else if (char === ',' && depth === 0) return at;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
  }
  return text.length;
}

/** Renders any value as JSON that a header can carry: ASCII only. */
export const asciiJson = (value: unknown): string =>
  wellFormedJson(value).replace(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const FIRST = -62_135_596_800_000;
const LAST = 253_402_300_799_999;

/** Renders an instant for responses (docs/wire.md 2): RFC 3339, UTC, three fraction digits, years 0001 to 9999. */
export function instantText(epochMilliseconds: number): string {
  // Date formats several times faster than Temporal, in exactly this form.
  return new Date(Math.min(Math.max(epochMilliseconds, FIRST), LAST)).toISOString();
}

/** Renders the date of midnight UTC, as all-day events have it: `YYYY-MM-DD`. */
export const dateText = (epochMilliseconds: number): string => instantText(epochMilliseconds).slice(0, 10);
