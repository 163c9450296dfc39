/** Page tokens and sync tokens: what they have to remember, as text that nobody else can read anything into. */
import { SandboxRefusal } from '../core/sandbox-refusal.ts';

export type SyncToken = {
  readonly kind: 'sync';
  /** A calendar's id, or whose list it is. */
  readonly of: string;
  readonly epoch: number;
  /** The version it has seen. */
  readonly version: number;
  /** The parameters that must repeat. */
  readonly parameters: string;
  /** Of a listing with a window: epoch milliseconds, null where open. */
  readonly window: readonly [number | null, number | null];
};

export type PageToken = {
  readonly kind: 'page';
  readonly of: string;
  /** The sort key of the last entry shown. */
  readonly after: string;
  /** The version when the first page was asked for: the sync token of the last page goes back to it. */
  readonly version: number;
  readonly parameters: string;
};

/** Google's look alike too: base64 without padding. */
export const tokenText = (token: SyncToken | PageToken): string =>
  Buffer.from(JSON.stringify(token)).toString('base64url');

export const fullSyncRequired = (): SandboxRefusal =>
  new SandboxRefusal(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.');

/** Refused with 410 when it is forgotten, with 400 when it is none or its parameters do not repeat. */
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
    // Undefined behaviour by Google's documentation; here it is refused, so that it is noticed.
    throw new SandboxRefusal(400, 'invalid', 'The parameters are not those of the initial synchronization.');
  }
  return token;
}

/** Refused with 400 when it is none of this listing. */
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
    // Only our own texts parse to an object with a kind; a client that forges one harms its own answer only.
    return typeof value === 'object' && value !== null && 'kind' in value ? (value as SyncToken) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
