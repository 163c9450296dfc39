/** What the PostgreSQL driver and its batches share: a statement as `pg` takes it, and how one is refused. */
import { hash } from 'node:crypto';

import pg from 'pg';

/** A statement as `pg` takes it; without a name it is parsed anew each time. */
export type Query = { text: string; values: unknown[]; name?: string; rowMode: 'array' };

/** Returns the query without its name, so that the server parses it each time. */
export const unnamed = ({ text, values, rowMode }: Query): Query => ({ text, values, rowMode });

/** 128 bits of the text's hash: `pg` refuses one name for two texts, and 63 bytes are a name's most. */
export const nameOf = (text: string): string => hash('sha256', text).slice(0, 32);

/** SQLSTATEs of a server that cannot be used now: it is read-only, lacks disk, memory or connections, or shuts down. */
const AWAY = /^(25006|53[1-3]00|57P)/;

/** Whether the server refused this statement only, so that the connection and other statements continue. */
export const isRefusal = (reason: unknown): boolean =>
  reason instanceof pg.DatabaseError && !AWAY.test(reason.code ?? '');
