/** The session that all requests of one account share. */
import type { Egress } from '../../../lib/egress/egress.ts';
import type { WorkPool } from '../../../lib/work-pool/work-pool.ts';
import type { DavSession } from './dav-client.ts';
import { davReading } from './dav-reading.ts';

export type SessionDeps = {
  readonly egress: Egress;
  /** The pool that parses large responses. Without it all are parsed on the main thread. */
  readonly syncWork?: WorkPool;
  /** The owner of the work there; by default the user at the server. */
  readonly owner?: string | undefined;
};

/** Creates a session with this login, whose password is sent only to `origins`. */
export function davSession(
  { username, password, origins }: Pick<DavSession, 'username' | 'password' | 'origins'>,
  { egress, syncWork, owner = `${origins[0]} ${username}` }: SessionDeps,
): DavSession {
  return { egress, username, password, origins, reading: davReading({ work: syncWork, owner }) };
}
