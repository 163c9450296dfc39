/** What answering a request needs beside what it names. */
import type { FaultEffect } from '../core/faults.ts';
import type { Account } from './accounts.ts';
import type { PropertyContext } from './live-properties.ts';
import type { Tree } from './resource-tree.ts';

export type DavContext = PropertyContext &
  Tree & {
    readonly account: Account;
    /** Epoch milliseconds. */
    readonly now: number;
    /** Most members in one part of a sync-collection answer. */
    readonly syncPage: number;
    readonly effects: readonly FaultEffect[];
  };

/** The responses of a listing as the faults of the request have them. */
export function befallen(responses: readonly string[], effects: readonly FaultEffect[]): readonly string[] {
  const has = (kind: FaultEffect['kind']) => effects.some((effect) => effect.kind === kind);
  const repeated = has('duplicate') ? responses.flatMap((response) => [response, response]) : responses;
  return has('reorder') ? repeated.toReversed() : repeated;
}
