/** The context for responding to a request. */
import { type FaultEffect, hasEffect } from '../core/faults.ts';
import type { Account } from './accounts.ts';
import type { PropertyContext } from './live-properties.ts';
import type { Tree } from './resource-tree.ts';
import type { Scheduling } from './scheduling.ts';

export type DavContext = PropertyContext &
  Tree & {
    readonly account: Account;
    /** Absent if the server sends nothing itself. */
    readonly scheduling: Scheduling | undefined;
    /** Epoch milliseconds. */
    readonly now: number;
    /** Most members in one part of a sync-collection answer. */
    readonly syncPage: number;
    readonly effects: readonly FaultEffect[];
  };

/** Applies the faults of its request to a listing's responses: each twice, or in another order. */
export function withFaults(responses: readonly string[], effects: readonly FaultEffect[]): readonly string[] {
  const repeated = hasEffect(effects, 'duplicate')
    ? responses.flatMap((response) => [response, response])
    : responses;
  return hasEffect(effects, 'reorder') ? repeated.toReversed() : repeated;
}
