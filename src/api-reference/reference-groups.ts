/** The document's operations by group, each group with the address of its page. */
import type { OpenApiDocument, OpenApiOperation } from './openapi-document.ts';

export type Entry = { readonly path: string; readonly method: string; readonly operation: OpenApiOperation };

export type Group = { readonly name: string; readonly address: string; readonly entries: readonly Entry[] };

export const REFERENCE_PATH = '/docs/api';
export const SHAPES_PATH = `${REFERENCE_PATH}/shapes`;

/** Returns the groups in the document's order. Every operation has its id as its anchor on the page of its group. */
export function listReferenceGroups(document: OpenApiDocument): Group[] {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return document.tags.map(({ name }) => ({
    name,
    address: `${REFERENCE_PATH}/${name.toLowerCase().replaceAll(' ', '-')}`,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

/** Returns who may call an operation, as a sentence. */
export function callersText({ security }: OpenApiOperation): string {
  // A bound access token has the same scopes as any other.
  const withoutDpop = security.filter((one) => !('DPoP' in one));
  const callers = withoutDpop.map((one) => {
    const [scope] = one.accessToken ?? [];
    if (scope !== undefined)
      return `an access token of scope ${scope}${scope === 'read-write' ? '' : ' or wider'}`;
    return 'application' in one ? 'HTTP Basic of the application' : 'no authentication';
  });
  return `Called with ${callers.join(', or ')}.`;
}

export type RefusalRow = {
  readonly status: string;
  readonly code: string;
  readonly when: string;
  readonly body: unknown;
};

/** Returns every error of an operation, by status. */
export const listOperationErrors = ({ responses }: OpenApiOperation): RefusalRow[] =>
  Object.entries(responses).flatMap(([status, { content }]) =>
    Object.values(content?.['application/json']?.examples ?? {}).map(({ summary, value }) => ({
      status,
      code: codeOf(value),
      when: summary,
      body: value,
    })),
  );

/** Returns the code of an error's body: in `code`, or in the shape of RFC 6749 in `error`. */
function codeOf(body: unknown): string {
  const { code, error }: { readonly code?: unknown; readonly error?: unknown } = { ...Object(body) };
  return String(code ?? error);
}
