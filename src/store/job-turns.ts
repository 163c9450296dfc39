/** Who may run next: the jobs that one call takes, owner by owner. */
import type { Job, JobKind, JobName, JobPlace, TakenJobs, TakeTerms } from '../jobs/job-store.ts';
import type { Dialect, Statements } from './drivers/database.ts';
import { MOST_UNFINISHED, OR_EARLIER } from './job-rows.ts';

/** A job that did not come to its end so often is tried this often. */
export const SET_ASIDE_MS = 24 * 3_600_000;
/** So long a job whose lease ran out lets others go first. */
const BEHIND_OTHERS_MS = 60_000;
/** When a turn is looked at again whose due jobs all wait for their own account. */
const LOOK_AGAIN_MS = 1_000;
/** How many turns are looked at together, and how often: a call takes a few milliseconds at most. */
const TURNS_AT_ONCE = 16;
const MOST_ROUNDS = 8;
/** Of so many whose turn came first, the one served longest ago goes first. */
const TURNS_COMPARED = 1_000;
/** So long it is known when an owner without further jobs was served. */
const REMEMBERED_MS = 24 * 3_600_000;

// Those who take jobs take turns: what runs for an account or a host is counted by one of them at a time.
const LOCK = `UPDATE job_turn SET turn_at = turn_at WHERE owner = '' AND kind = '' AND host = ''`;
const LEASED = `
  SELECT owner, account_key AS "accountKey", host, revived FROM job WHERE lease_holder IS NOT NULL AND run_at > :now`;
const LEASE = `
  UPDATE job SET run_at = :leaseUntil, lease_holder = :holder, attempts = attempts + 1, unfinished = unfinished + 1,
         revived = :revived
   WHERE kind = :kind AND key = :key`;
const DIED = `
  SELECT kind, key, owner, host FROM job
   WHERE lease_holder IS NOT NULL AND run_at <= :now AND unfinished >= ${MOST_UNFINISHED}`;
const SET_ASIDE = `
  UPDATE job SET run_at = :runAt, again_at = NULL, lease_holder = NULL, revived = 0
   WHERE kind = :kind AND key = :key AND lease_holder IS NOT NULL AND run_at <= :now RETURNING key`;
const OF_TURN = 'owner = :owner AND kind = :kind AND host = :host';
const NEXT_OF_TURN = `
  SELECT run_at AS "runAt" FROM job WHERE ${OF_TURN} AND lease_holder IS NULL ORDER BY run_at LIMIT 1`;
const JOB = 'kind, key, owner, account_key AS "accountKey", host, attempts, trace';
const REVIVED = `
  SELECT ${JOB} FROM job
   WHERE lease_holder IS NOT NULL AND run_at <= :dueSince ORDER BY run_at`;

type JobRow = Omit<Job, 'trace'> & { readonly trace: string | null };
type Turn = {
  readonly owner: string;
  readonly kind: JobKind;
  readonly host: string;
  readonly servedAt: number;
};

/** Takes jobs in the caller's transaction (JobStore.take). */
export async function takeJobs(tx: Statements, terms: TakeTerms): Promise<TakenJobs> {
  await tx.all(LOCK);
  const setAside = await setAsideDead(tx, terms.now);
  const leased = await tx.all<JobPlace & { revived: number }>(LEASED, { now: terms.now });
  const taking = new Taking(tx, terms, leased);
  let goesOn = true;
  for (let round = 0; goesOn && round < MOST_ROUNDS; round += 1) goesOn = await taking.takeRound();
  if (!goesOn && !leased.some(({ revived }) => revived === 1)) await taking.takeRevived();
  return { jobs: taking.jobs, setAside, isCut: goesOn };
}

async function setAsideDead(tx: Statements, now: number): Promise<JobName[]> {
  const setAside: JobName[] = [];
  const runAt = now + SET_ASIDE_MS;
  for (const { kind, key, owner, host } of await tx.all<JobName & JobPlace>(DIED, { now })) {
    await tx.all(
      `INSERT INTO job_turn (owner, kind, host, turn_at) VALUES (:owner, :kind, :host, :runAt) ${OR_EARLIER}`,
      { owner, kind, host, runAt },
    );
    const updated = await tx.all(SET_ASIDE, { kind, key, runAt, now });
    if (updated.length > 0) setAside.push({ kind, key });
  }
  return setAside;
}

class Taking {
  readonly jobs: Job[] = [];
  readonly #tx: Statements;
  readonly #terms: TakeTerms;
  readonly #ofOwner: Counted;
  readonly #ofAccount: Counted;
  readonly #ofHost: Counted;

  constructor(tx: Statements, terms: TakeTerms, leased: readonly JobPlace[]) {
    const { running, abandoned, most } = terms;
    const everywhere = [...leased, ...abandoned];
    this.#tx = tx;
    this.#terms = terms;
    this.#ofOwner = new Counted(
      running.map(({ owner }) => owner),
      most.ofOwner,
    );
    this.#ofAccount = new Counted(
      everywhere.map(({ accountKey }) => accountKey),
      most.ofAccount,
    );
    this.#ofHost = new Counted(
      everywhere.map(({ host }) => host),
      most.ofHost,
    );
  }

  /** One job of each owner whose turn it is. Answers whether another round may find more. */
  async takeRound(): Promise<boolean> {
    const served = new Set<string>();
    const turns = await this.#dueTurns();
    for (const turn of turns) {
      if (this.#isEnough()) return false;
      const { owner, host } = turn;
      if (served.has(owner) || this.#ofOwner.isFull(owner) || this.#ofHost.isFull(host)) continue;
      const job = await this.#dueJobOf(turn);
      if (job === undefined) {
        await this.#moveTurn(turn, LOOK_AGAIN_MS);
        continue;
      }
      if (owner !== '') served.add(owner);
      await this.#lease(job, 0);
      await this.#moveTurn({ ...turn, servedAt: this.#terms.now }, 0);
      await this.#goBehindOthers(owner);
    }
    return turns.length > 0 && !this.#isEnough();
  }

  /** The one job whose lease ran out that may run now. */
  async takeRevived(): Promise<void> {
    if (this.#isEnough()) return;
    const { kinds, now } = this.#terms;
    const dueSince = this.jobs.length === 0 ? now : now - BEHIND_OTHERS_MS;
    // They are few: no more than ran at once when their processes died.
    const died = await this.#tx.all<JobRow>(`${REVIVED} ${this.#tx.dialect.skipLocked}`, { dueSince });
    const job = died.find(({ kind, owner, accountKey, host }) => {
      const isFull =
        this.#ofOwner.isFull(owner) || this.#ofAccount.isFull(accountKey) || this.#ofHost.isFull(host);
      return kinds.includes(kind) && !isFull;
    });
    if (job !== undefined) await this.#lease(job, 1);
  }

  #isEnough(): boolean {
    return this.jobs.length >= this.#terms.limit;
  }

  async #dueTurns(): Promise<Turn[]> {
    const { kinds, now } = this.#terms;
    const { dialect } = this.#tx;
    const hosts = butNot('host', this.#ofHost.full(), dialect);
    const owners = butNot('owner', this.#ofOwner.full(), dialect);
    const turns: Turn[] = [];
    for (const kind of kinds) {
      const rows = await this.#tx.all<Turn>(
        `SELECT owner, kind, host, served_at AS "servedAt" FROM job_turn WHERE (owner, kind, host) IN
          (SELECT owner, kind, host FROM
            (SELECT owner, kind, host, turn_at, served_at FROM job_turn
              WHERE kind = :kind AND turn_at <= :now ${hosts.text} ${owners.text}
              ORDER BY turn_at LIMIT ${TURNS_COMPARED}) AS due
            ORDER BY served_at, turn_at LIMIT ${TURNS_AT_ONCE})
          ORDER BY served_at, turn_at ${dialect.skipLocked}`,
        { kind, now, ...hosts.values, ...owners.values },
      );
      turns.push(...rows);
    }
    return turns.sort((one, other) => one.servedAt - other.servedAt);
  }

  #dueJobOf({ owner, kind, host }: Turn): Promise<JobRow | undefined> {
    const { oneOf, skipLocked } = this.#tx.dialect;
    return this.#tx.get<JobRow>(
      `SELECT ${JOB} FROM job
        WHERE ${OF_TURN} AND run_at <= :now AND lease_holder IS NULL AND NOT (account_key ${oneOf('accounts')})
        ORDER BY run_at LIMIT 1 ${skipLocked}`,
      { owner, kind, host, now: this.#terms.now, accounts: this.#ofAccount.full() },
    );
  }

  async #lease({ trace, ...job }: JobRow, revived: 0 | 1): Promise<void> {
    const { kind, key } = job;
    const { holder, leaseUntil } = this.#terms;
    await this.#tx.all(LEASE, { kind, key, holder, leaseUntil, revived });
    this.jobs.push(trace === null ? job : { ...job, trace });
    this.#ofOwner.add(job.owner);
    this.#ofAccount.add(job.accountKey);
    this.#ofHost.add(job.host);
  }

  /** To when its next job is due; where one is due already, to so many milliseconds from now. */
  async #moveTurn({ owner, kind, host, servedAt }: Turn, later: number): Promise<void> {
    const turn = { owner, kind, host };
    const { now } = this.#terms;
    const next = await this.#tx.get<{ runAt: number }>(NEXT_OF_TURN, turn);
    if (next === undefined && servedAt + REMEMBERED_MS <= now) {
      await this.#tx.all(`DELETE FROM job_turn WHERE ${OF_TURN}`, turn);
      return;
    }
    const nextAt = next?.runAt ?? servedAt + REMEMBERED_MS;
    const turnAt = nextAt > now ? nextAt : now + later;
    await this.#tx.all(`UPDATE job_turn SET turn_at = :turnAt WHERE ${OF_TURN}`, { ...turn, turnAt });
  }

  /** All turns of who was served. */
  async #goBehindOthers(owner: string): Promise<void> {
    const { oneOf, skipLocked } = this.#tx.dialect;
    await this.#tx.all(
      `UPDATE job_turn SET served_at = :now, turn_at = CASE WHEN turn_at < :now THEN :now ELSE turn_at END
          WHERE owner = :owner AND (kind, host) IN
        (SELECT kind, host FROM job_turn
          WHERE owner = :owner AND kind ${oneOf('kinds')} AND served_at < :now ${skipLocked})`,
      { owner, kinds: this.#terms.kinds, now: this.#terms.now },
    );
  }
}

/** SQLite compares with a few parameters three times as fast as it looks up a list, and thousands of turns may be passed over. */
const FEW_NAMES = 8;

function butNot(column: 'owner' | 'host', names: readonly string[], { oneOf }: Dialect) {
  if (names.length > FEW_NAMES)
    return { text: `AND NOT (${column} ${oneOf(`${column}s`)})`, values: { [`${column}s`]: names } };
  const parameters = names.map((name, index) => [`${column}${index}`, name] as const);
  return {
    text: parameters.map(([parameter]) => `AND ${column} <> :${parameter}`).join(' '),
    values: Object.fromEntries(parameters),
  };
}

/** How often each name is there; the empty one is nobody's and never full. */
class Counted {
  readonly #counts = new Map<string, number>();
  readonly #most: number;

  constructor(names: readonly string[], most: number) {
    this.#most = most;
    for (const name of names) this.add(name);
  }

  add(name: string): void {
    if (name !== '') this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  isFull(name: string): boolean {
    return (this.#counts.get(name) ?? 0) >= this.#most;
  }

  full(): string[] {
    return [...this.#counts].filter(([, count]) => count >= this.#most).map(([name]) => name);
  }
}
