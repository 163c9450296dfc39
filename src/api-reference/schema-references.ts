/** Named schemas (those with an `$id`) are stated once, under `components`, and referred to everywhere else. */

/** A schema as plain JSON. */
export type Json = { readonly [member: string]: unknown };

/** Collects the named schemas among those given to `reference`. */
export function collectSchemas() {
  const schemas = new Map<string, Json>();

  function reference(schema: object): Json {
    const { $id: name, ...rest }: Json = { ...schema };
    if (typeof name !== 'string') return mapped(rest);
    if (!schemas.has(name)) {
      schemas.set(name, {}); // In its place while its parts are read: it may be among them.
      schemas.set(name, mapped(rest));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  const mapped = (schema: Json): Json =>
    Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, partOf(value)]));

  function partOf(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(partOf);
    return typeof value === 'object' && value !== null ? reference(value) : value;
  }

  return {
    /** The schema as JSON, or a reference to it where it has a name. */
    reference,
    /** All that were found, by name. */
    named: (): Record<string, Json> =>
      Object.fromEntries([...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}
