/** Opens the configured database with every store on it: for serving and for the command line. */
import type { Config } from './config/config.ts';
import { wakeUp } from './jobs/wake-up.ts';
import { accountStore } from './store/account-store.ts';
import { authorizationCodeStore } from './store/authorization-code-store.ts';
import { authorizationRequestStore } from './store/authorization-request-store.ts';
import { brandingStore } from './store/branding-store.ts';
import { changeFeed } from './store/change-feed.ts';
import { clientStore } from './store/client-store.ts';
import { inspectDatabase } from './store/drivers/inspect-database.ts';
import { openDatabase } from './store/drivers/open-database.ts';
import { endedAccessStore } from './store/ended-access-store.ts';
import { eventReader } from './store/event-reader.ts';
import { idempotencyStore } from './store/idempotency-store.ts';
import { jobStore } from './store/job-store.ts';
import { knownEvents } from './store/known-events.ts';
import { mirrorStore } from './store/mirror-store.ts';
import { providerAppStore } from './store/provider-app-store.ts';
import { requestLimitStore } from './store/request-limit-store.ts';
import { signInStore } from './store/sign-in-store.ts';
import { signingKeyStore } from './store/signing-key-store.ts';
import { splitJournal } from './store/split-journal.ts';
import { tokenFamilyStore } from './store/token-family-store.ts';
import { tokenLeaseStore } from './store/token-lease-store.ts';
import { userStore } from './store/user-store.ts';

export type Stores = Awaited<ReturnType<typeof openStorage>>;

/**
 * Makes what is missing (folder, key, database), migrates, and answers every store. Throws a sentence
 * that says what to do when the database or its key is not to be had.
 */
export async function openStorage(config: Config) {
  const now = Date.now;
  const { db, sealer, created } = await openDatabase(config, now);
  const bell = wakeUp();
  return {
    db,
    sealer,
    /** Whether this start made the database. */
    created,
    now,
    clients: clientStore(db),
    branding: brandingStore(db),
    users: userStore(db),
    codes: authorizationCodeStore(db),
    families: tokenFamilyStore(db),
    signingKeys: signingKeyStore(db),
    requests: authorizationRequestStore(db, sealer),
    signIns: signInStore(db, sealer),
    providerApps: providerAppStore(db, sealer),
    accounts: accountStore(db, sealer, bell.ring),
    tokens: tokenLeaseStore(db, sealer, bell.ring),
    requestLimits: requestLimitStore(db),
    endedAccess: endedAccessStore(db, sealer, bell.ring),
    mirror: mirrorStore(db),
    events: eventReader(db),
    changes: changeFeed(db),
    jobs: jobStore(db, bell.ring),
    knownEvents: knownEvents(db),
    idempotency: idempotencyStore(db),
    splits: splitJournal(db, bell.ring),
    /** Rung when one of these stores made a job. */
    wakeUp: bell,
    backup: (file: string) => db.backup(file),
    close: () => db.close(),
  };
}

/** Looks at the configured database and its key without making or changing anything; for `doctor`. */
export const inspectStorage = (config: Config) => inspectDatabase(config, Date.now);
