/** Page tokens and sync tokens: their data, as text that is opaque to clients. */
import { SandboxRefusal } from '../core/sandbox-refusal.ts';

export type SyncToken = {
  readonly kind: 'sync';
  /** The calendar's id, or the owner of the list. */
  readonly of: string;
  readonly epoch: number;
  /** The version that the client has seen. */
  readonly version: number;
  /** The parameters that must repeat. */
  readonly parameters: string;
  /** The window of the listing in epoch milliseconds, null where open. */
  readonly window: readonly [number | null, number | null];
};

export type PageToken = {
  readonly kind: 'page';
  readonly of: string;
  /** The sort key of the last entry on the page. */
  readonly after: string;
  /** The version at the request for the first page: the sync token of the last page refers to it. */
  readonly version: number;
  readonly parameters: string;
};

/** Encodes a token as base64 without padding, which resembles Google's. */
export const tokenText = (token: SyncToken | PageToken): string =>
  Buffer.from(JSON.stringify(token)).toString('base64url');

export const fullSyncRequired = (): SandboxRefusal =>
  new SandboxRefusal(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.');

/** Throws 410 for a token that is no longer valid, 400 for a malformed one or if its parameters differ. */
export function readSyncToken(
  text: string,
  expected: Pick<SyncToken, 'of' | 'epoch' | 'parameters'>,
): SyncToken {
  const token = decoded(text);
  if (token?.kind !== 'sync' || token.of !== expected.of) {
    throw new SandboxRefusal(400, 'invalid', 'Invalid sync token value.');
  }
  if (token.epoch !== expected.epoch) throw fullSyncRequired();
  if (token.parameters !== expected.parameters) {
    // Google's documentation leaves this undefined; the sandbox refuses it, so that the mistake is noticed.
    throw new SandboxRefusal(400, 'invalid', 'The parameters are not those of the initial synchronization.');
  }
  return token;
}

/** Throws 400 for a token of another listing. */
export function readPageToken(text: string, expected: Pick<PageToken, 'of' | 'parameters'>): PageToken {
  const token = decoded(text);
  if (token?.kind !== 'page' || token.of !== expected.of || token.parameters !== expected.parameters) {
    throw new SandboxRefusal(400, 'invalid', 'Invalid page token value.');
  }
  return token;
}

function decoded(text: string): SyncToken | PageToken | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    // Only texts of this file parse to an object with a kind; a client that forges one harms only its own response.
    return typeof value === 'object' && value !== null && 'kind' in value ? (value as SyncToken) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
