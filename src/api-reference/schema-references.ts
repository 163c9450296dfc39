/** Named schemas (those with an `$id`) are defined once, under `components`, and referenced everywhere else. */

export type Json = { readonly [member: string]: unknown };

/** Collects the named schemas among those given to `reference`. */
export function collectSchemas() {
  const schemas = new Map<string, Json>();

  function reference(schema: object): Json {
    const { $id: name, ...rest }: Json = { ...schema };
    if (typeof name !== 'string') return mapped(rest);
    if (!schemas.has(name)) {
      schemas.set(name, {}); // A placeholder while its parts are read, because the schema may contain itself.
      schemas.set(name, mapped(rest));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  const mapped = (schema: Json): Json =>
    Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, referenceParts(value)]));

  function referenceParts(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(referenceParts);
    return typeof value === 'object' && value !== null ? reference(value) : value;
  }

  return {
    /** Returns the schema as JSON, or a reference to it if it has a name. */
    reference,
    /** Returns all named schemas, sorted by name. */
    named: (): Record<string, Json> =>
      Object.fromEntries([...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}
