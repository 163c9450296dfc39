/** What the PostgreSQL driver and its batches share: a statement as `pg` takes it, and how one is refused. */
import { hash } from 'node:crypto';

import pg from 'pg';

/** A statement as `pg` takes it; without a name it is parsed anew each time. */
export type Query = { text: string; values: unknown[]; name?: string };

/** 128 bits of the text's hash: `pg` refuses one name for two texts, and 63 bytes are a name's most. */
export const nameOf = (text: string): string => hash('sha256', text).slice(0, 32);

/** Whether the server refused a statement and the connection goes on; 57P… ends the connection. */
export function isRefusal(reason: unknown): boolean {
  return reason instanceof pg.DatabaseError && !reason.code?.startsWith('57P');
}
