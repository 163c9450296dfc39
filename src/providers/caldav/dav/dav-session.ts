/** The session that all requests of one account share. */
import type { Egress } from '../../../lib/egress/egress.ts';
import type { WorkPool } from '../../../lib/work-pool/work-pool.ts';
import type { DavSession } from './dav-client.ts';
import { davReading } from './dav-reading.ts';

export type SessionDeps = {
  readonly egress: Egress;
  /** Where large answers are read; without it all are read on the main thread. */
  readonly syncWork?: WorkPool;
  /** Whose turn it is there; by default that of the user at the server. */
  readonly owner?: string | undefined;
};

/** A session with this login, whose password is sent to `origins` only. */
export function davSession(
  { username, password, origins }: Pick<DavSession, 'username' | 'password' | 'origins'>,
  { egress, syncWork, owner = `${origins[0]} ${username}` }: SessionDeps,
): DavSession {
  return { egress, username, password, origins, reading: davReading({ work: syncWork, owner }) };
}
