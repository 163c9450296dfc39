/** Reading an OpenAPI document in tests. */
import type { OpenApiDocument, OpenApiOperation } from '../../src/api-reference/openapi-document.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

export type Documented = {
  readonly method: Method;
  readonly path: string;
  readonly operation: OpenApiOperation;
};

export const operationsOf = (document: OpenApiDocument): Documented[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    // The document has these four only: its builder's type says so.
    Object.entries(methods).map(([method, operation]) => ({ method: method as Method, path, operation })),
  );

/**
 * A schema with the document's components, in which objects have no members but the stated ones: what is answered and
 * not documented is found so. Beside a reference, members narrow what the reference states.
 */
export function closed(schema: object, { components }: OpenApiDocument): object {
  return { ...Object(strict(schema)), components: strict(components) };
}

function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, strict(one)]));
  const isObject = members.type === 'object' && members.properties !== undefined;
  return isObject ? { ...members, additionalProperties: false } : members;
}
