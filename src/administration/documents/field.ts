/** Documents for operators. JSON, the text of commands and audited values derive from one table of fields. */

/**
 * One field of a document about `T`, such as
 * `{ name: 'created_at', label: 'created', value: (client) => toTime(client.createdAt) }`.
 */
export type DocumentField<T, V = unknown> = {
  /** The name in JSON and in the audit log. Wire: do not rename. */
  readonly name: string;
  /** The name in text. A field without a label is only in JSON. */
  readonly label?: string;
  /** The head of its column, if it is not the name in capitals. */
  readonly head?: string;
  /** The value in JSON: `null` if it is empty, `undefined` if this subject does not have the field. */
  readonly value: (subject: T) => V;
  /** The value in text, if it differs. `undefined` leaves the line out. */
  readonly text?: (subject: T) => string | undefined;
};

/** Returns `subject` as JSON has it: the fields in the order of the table. */
export function toDocument<T, V>(fields: readonly DocumentField<T, V>[], subject: T): Record<string, V> {
  const entries = fields.map(({ name, value }) => [name, value(subject)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Returns a line of label and value for each field that has a label. */
export function toRows<T>(fields: readonly DocumentField<T>[], subject: T): string[][] {
  return fields.flatMap((field) => {
    const text = field.value(subject) === undefined ? undefined : toText(field, subject);
    return field.label === undefined || text === undefined ? [] : [[field.label, text]];
  });
}

/** Returns a table of the fields called `names`: a head such as CREATED_AT, and a row for each subject. */
export function toTable<T>(
  fields: readonly DocumentField<T>[],
  names: readonly string[],
  subjects: readonly T[],
): string[][] {
  const columns = names.flatMap((name) => fields.filter((field) => field.name === name));
  const rows = subjects.map((subject) => columns.map((field) => toText(field, subject) ?? ''));
  return [columns.map(({ name, head }) => head ?? name.replace(/[A-Z]/g, '_$&').toUpperCase()), ...rows];
}

/** Returns the fields of a part of `T`, such as its branding, as fields of `T`. */
export const within = <T, P>(fields: readonly DocumentField<P>[], part: (subject: T) => P) =>
  fields.map(
    ({ value, text, ...field }): DocumentField<T> => ({
      ...field,
      value: (subject) => value(part(subject)),
      ...(text && { text: (subject: T) => text(part(subject)) }),
    }),
  );

function toText<T>({ value, text }: DocumentField<T>, subject: T): string | undefined {
  if (text !== undefined) return text(subject);
  const plain = value(subject) ?? '(none)';
  if (typeof plain === 'boolean') return plain ? 'on' : 'off';
  return Array.isArray(plain) ? plain.join(', ') : String(plain);
}

/** Returns epoch milliseconds as ISO 8601 in UTC, and `null` for `undefined`. */
export const toTime = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();
