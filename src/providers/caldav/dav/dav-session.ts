/** The session that all requests of one account share. */
import type { Egress } from '../../../lib/egress/egress.ts';
import type { WorkPool } from '../../../lib/work-pool/work-pool.ts';
import type { DavSession } from './dav-client.ts';
import { davReading } from './dav-reading.ts';

export type SessionDeps = {
  readonly egress: Egress;
  /** Where large answers are read; without it all are read on the main thread. */
  readonly syncWork?: WorkPool;
};

/** A session with this login, whose password is sent to `origins` only. */
export function davSession(
  { username, password, origins }: Pick<DavSession, 'username' | 'password' | 'origins'>,
  { egress, syncWork }: SessionDeps,
): DavSession {
  // Threads take turns by the user at the server, so that one with many calendars does not hold up others.
  const owner = `${origins[0]} ${username}`;
  return { egress, username, password, origins, reading: davReading({ work: syncWork, owner }) };
}
