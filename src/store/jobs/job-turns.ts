/**
 * Claims jobs slice by slice, and within a slice owner by owner. All jobs of a host or an account are in one slice (migration
 * 73), so a transaction that locks the slice's row can count them and keep their limits.
 */
import type { Job, JobKind, JobName, JobPlace, TakenJobs, TakeTerms } from '../../jobs/job-store.ts';
import { errorCode } from '../../lib/error-code.ts';
import { SlotCounts, type SlotPlace } from '../../lib/fair-slots/slot-counts.ts';
import type { Database, Dialect, Statements, TransactionTerms, Values } from '../drivers/database.ts';
import { butNot } from './but-not.ts';
import { MOST_UNFINISHED, OR_EARLIER } from './job-rows.ts';

/** Interval between the runs of a job that was set aside, in milliseconds. */
export const SET_ASIDE_MS = 24 * 3_600_000;
/** A job whose lease expired waits this long behind others. */
const BEHIND_OTHERS_MS = 60_000;
/** If all due jobs of a turn wait for their accounts, the turn is checked again after this time. */
const LOOK_AGAIN_MS = 1_000;
/** Limits of one call, so that it takes a fraction of a second at most: jobs, and transactions, each in one slice. */
const MOST_JOBS = 32;
const MOST_VISITS = 64;
/** Turns that a transaction reads beyond the jobs that it may claim, since some turns have none that may run now. */
const SPARE_TURNS = 8;
/** Number of earliest turns among which the owner served longest ago goes first. */
const TURNS_COMPARED = 1_000;
/** Time for which the last run of an owner without further jobs is remembered. */
const REMEMBERED_MS = 24 * 3_600_000;
/** SQLSTATE serialization_failure. */
const CONTENTION = '40001';
/** Each statement sees what the holder of the slice before has committed. Without it, `LOCK` refuses an older snapshot. */
const TERMS: TransactionTerms = { flush: 'now', isolation: 'read committed' };

// A transaction whose snapshot is older than the last claim in the slice fails here instead of using old counts.
const LOCK = 'UPDATE job_slice SET slice = slice WHERE slice = :slice';
const LEASED_COLUMNS = 'kind, client_id, owner, account_key, host, revived';
const IS_LEASED = 'lease_holder IS NOT NULL AND run_at > :now';
const LEASED = `SELECT ${LEASED_COLUMNS} FROM job WHERE ${IS_LEASED} AND slice = :slice`;
// Omits hosts with too few running jobs to reach any limit.
const LEASED_AT_HOSTS = `
  SELECT ${LEASED_COLUMNS} FROM
    (SELECT ${LEASED_COLUMNS}, COUNT(*) OVER (PARTITION BY host) AS at_host FROM job
      WHERE ${IS_LEASED} AND host <> '') AS leased
   WHERE at_host >= :fewest`;
const EXPIRED_SLICES = `
  SELECT slice, MIN(run_at) AS first_at, MAX(CASE WHEN unfinished >= ${MOST_UNFINISHED} THEN 1 ELSE 0 END) AS has_dead
    FROM job WHERE lease_holder IS NOT NULL AND run_at <= :now GROUP BY slice ORDER BY MIN(run_at)`;
const DIED = `
  SELECT kind, key, client_id, owner, host FROM job
   WHERE lease_holder IS NOT NULL AND run_at <= :now AND unfinished >= ${MOST_UNFINISHED} AND slice = :slice`;
const SET_ASIDE = `
  UPDATE job SET run_at = :runAt, again_at = NULL, lease_holder = NULL, revived = 0
   WHERE kind = :kind AND key = :key AND lease_holder IS NOT NULL AND run_at <= :now`;
const JOB = 'j.kind, j.key, j.client_id, j.owner, j.account_key, j.host, j.attempts, j.trace';
const REVIVED = `
  SELECT ${JOB} FROM job AS j
   WHERE lease_holder IS NOT NULL AND run_at <= :dueSince AND slice = :slice ORDER BY run_at`;
/** Jobs of a row `t` of `job_turn` that no run holds. */
const WAITING_OF_TURN = `
  FROM job AS w WHERE w.kind = t.kind AND w.owner = t.owner AND w.host = t.host AND w.lease_holder IS NULL`;

/** Identifies a turn in a list: a kind and a host have no spaces. */
const TURN_NAME = "(t.kind || ' ' || t.owner || ' ' || t.host)";

type JobRow = Omit<Job, 'trace'> & { readonly trace: string | undefined };
type TurnName = Pick<JobRow, 'kind' | 'owner' | 'host'>;
type Turn = SlotPlace & TurnName & { readonly servedAt: number };
type Leased = JobPlace & { readonly kind: JobKind; readonly revived: number };
type ExpiredSlice = { readonly slice: number; readonly firstAt: number; readonly hasDead: 0 | 1 };
/** The result of one transaction. `full` has the places that may get no further job at their hosts. */
type Visit = Pick<TakenJobs, 'jobs' | 'passedOver'> & {
  readonly isLocked?: true;
  /** Whether more turns may be due than were compared. */
  readonly isPartial?: boolean;
  readonly full: readonly SlotPlace[];
};

export async function takeJobs(db: Database, terms: TakeTerms, hasExpired: boolean): Promise<TakenJobs> {
  const taking = new Taking(db, terms);
  let isContended = false;
  try {
    isContended = await taking.takeDue();
    if (hasExpired) await taking.takeExpired(isContended);
  } catch (reason) {
    isContended = errorCode(reason) === CONTENTION;
    // Jobs of earlier transactions are leased already: the caller must know of them.
    if (!isContended && taking.jobs.length === 0) throw reason;
  }
  return { ...taking.taken(), isContended };
}

class Taking {
  readonly jobs: Job[] = [];
  readonly #setAside: JobName[] = [];
  readonly #passedOver: string[] = [];
  readonly #db: Database;
  readonly #terms: TakeTerms;
  readonly #limit: number;
  /** Places that are full at their hosts, across all instances. */
  readonly #full: SlotPlace[] = [];
  #isCut = false;

  constructor(db: Database, terms: TakeTerms) {
    this.#db = db;
    this.#terms = terms;
    this.#limit = Math.min(terms.limit, MOST_JOBS);
  }

  taken(): Omit<TakenJobs, 'isContended'> {
    // The last job is reserved (see isReserved), so more may be due if it is missing.
    const isCut = this.#isCut || this.jobs.length >= Math.max(1, this.#limit - 1);
    return { jobs: this.jobs, setAside: this.#setAside, passedOver: this.#passedOver, isCut };
  }

  /** Claims due jobs. Returns whether other calls have the slices of all that remain. */
  async takeDue(): Promise<boolean> {
    let hasLookedAtHosts = false;
    for (let visits = 0; this.jobs.length < this.#limit; visits += 1) {
      if (visits === MOST_VISITS) {
        this.#isCut = true;
        break;
      }
      const visit = await this.#db.transaction((tx) => this.#visitDue(tx), TERMS);
      if (visit === undefined) break;
      this.jobs.push(...visit.jobs);
      this.#passedOver.push(...visit.passedOver);
      this.#full.push(...visit.full);
      if (visit.jobs.length > 0) continue;
      if (visit.isLocked && (hasLookedAtHosts || !visit.isPartial)) return true;
      // Turns at full hosts may hide all others.
      if (!hasLookedAtHosts) this.#full.push(...(await this.#fullAtHosts()));
      hasLookedAtHosts = true;
    }
    return false;
  }

  /** Returns the places that may get no further job at their hosts, across all slices. */
  async #fullAtHosts(): Promise<SlotPlace[]> {
    const { now, abandoned, most } = this.#terms;
    const { ofHost = UNLIMITED, ofOwnerAtHost = UNLIMITED, share = 1 } = most;
    const fewest = Math.min(ofOwnerAtHost, Math.floor(share * ofHost)) - abandoned.length;
    if (fewest === UNLIMITED) return [];
    const leased = await this.#db.all<Leased>(LEASED_AT_HOSTS, { now, fewest });
    return countAtHosts(this.#terms, leased).full();
  }

  /** Sets aside jobs whose runs died too often. Claims one job whose lease expired, if any may run now. */
  async takeExpired(othersAreDue: boolean): Promise<void> {
    const { now } = this.#terms;
    const dueSince = this.jobs.length > 0 || othersAreDue ? now - BEHIND_OTHERS_MS : now;
    for (const { slice, firstAt, hasDead } of await this.#db.all<ExpiredSlice>(EXPIRED_SLICES, { now })) {
      if (hasDead === 0 && (firstAt > dueSince || !this.#mayRevive())) continue;
      const visit = await this.#db.transaction((tx) => this.#visitExpired(tx, slice, dueSince), TERMS);
      this.#setAside.push(...visit.setAside);
      this.jobs.push(...visit.jobs);
    }
  }

  /** A process runs one job at a time whose last run died. */
  #mayRevive(): boolean {
    const running = [...this.#terms.running, ...this.jobs];
    return this.jobs.length < this.#limit && !running.some(({ isRevived }) => isRevived);
  }

  /** Claims one job of each owner that is due in the first free slice. Returns `undefined` if nothing is due. */
  async #visitDue(tx: Statements): Promise<Visit | undefined> {
    const here = this.#countHere();
    const candidates = await this.#lockSlice(tx, here);
    const [first] = candidates;
    if (first === undefined) return undefined;
    const { slice } = first;
    if (slice === undefined)
      return { jobs: [], passedOver: [], full: [], isLocked: true, isPartial: first.seen >= TURNS_COMPARED };
    const { now } = this.#terms;
    await tx.change(LOCK, { slice });
    const leased = await tx.all<Leased>(LEASED, { slice, now });
    const atHosts = countAtHosts(this.#terms, leased);
    const turns = await tx.all<Turn>(
      `SELECT t.client_id, t.owner, t.kind, t.host, t.served_at FROM job_turn AS t
        WHERE t.turn_at <= :now AND ${isTurnOf(tx.dialect)} ORDER BY t.served_at, t.turn_at ${tx.dialect.skipLocked}`,
      { now, ...turnValues(candidates) },
    );
    const tried = fitting(turns, here, atHosts);
    const waiting = await this.#firstJobs(tx, tried, leased);
    const jobs: JobRow[] = [];
    const idle: Turn[] = [];
    const passedOver: string[] = [];
    const isServed = ({ owner }: Turn) => owner !== '' && jobs.some((job) => job.owner === owner);
    for (const turn of turns) {
      if (this.jobs.length + jobs.length >= this.#limit) break;
      const { clientId } = turn;
      const isFree =
        here.isFree(withoutHost(turn)) && atHosts.isFree(turn) && !this.#isReserved(clientId, jobs);
      const job = waiting.get(toTurnName(turn));
      if (isServed(turn) || !isFree) {
        if (here.isFull({ clientId })) passedOver.push(clientId);
      } else if (job === undefined) {
        if (tried.includes(turn)) idle.push(turn);
      } else {
        jobs.push(job);
        here.add(withoutHost(job));
        atHosts.add(job);
      }
    }
    const claimed = await this.#lease(tx, jobs);
    await this.#moveTurns(tx, jobs, idle);
    return { jobs: claimed, passedOver, full: atHosts.full() };
  }

  /**
   * Locks the slice of the owner served longest ago among the earliest due turns. If other calls have that slice, locks that of
   * the next owner. Returns the slice's first turns, which are still to be locked; without a slice if other calls have all.
   */
  #lockSlice(
    tx: Statements,
    here: SlotCounts,
  ): Promise<(TurnName & { readonly slice: number | undefined; readonly seen: number })[]> {
    const { kinds, now } = this.#terms;
    const { dialect } = tx;
    const reserved = [...new Set(this.jobs.map(({ clientId }) => clientId))]
      .filter((clientId) => this.#isReserved(clientId))
      .map((clientId) => ({ clientId, owner: '', host: '' }));
    const others = butNot([...here.full(), ...this.#full, ...reserved], dialect);
    const due = kinds.map(
      (_, n) => `
      SELECT * FROM (
        SELECT kind, owner, host, slice, served_at, turn_at FROM job_turn
         WHERE kind = :kind${n} AND turn_at <= :now ${others.text}
         ORDER BY turn_at LIMIT ${TURNS_COMPARED}) AS of_kind${n}`,
    );
    const turns = due.join(' UNION ALL ');
    const first = 'ORDER BY served_at, turn_at LIMIT :candidates';
    const inFreeSlice = `WITH due AS (${turns}),
       free AS (SELECT s.slice FROM due JOIN job_slice AS s ON s.slice = due.slice
                 ORDER BY due.served_at, due.turn_at LIMIT 1 ${dialect.skipLocked})
       SELECT kind, owner, host, (SELECT slice FROM free) AS slice, (SELECT COUNT(*) FROM due) AS seen FROM due
        WHERE slice = (SELECT slice FROM free) OR (SELECT slice FROM free) IS NULL ${first}`;
    return tx.all(
      // SQLite has one writer and one slice, so the slice is free.
      dialect.engine === 'sqlite'
        ? `SELECT kind, owner, host, slice, 0 AS seen FROM (${turns}) AS due ${first}`
        : inFreeSlice,
      {
        ...kindValues(kinds),
        now,
        candidates: this.#limit - this.jobs.length + SPARE_TURNS,
        ...others.values,
      },
    );
  }

  /** Returns the job of each turn that has been due longest and whose account may have another, by the turn's name. */
  async #firstJobs(tx: Statements, turns: readonly Turn[], leased: readonly Leased[]) {
    const { now } = this.#terms;
    const { oneOf, skipLocked } = tx.dialect;
    const ofAccounts = countOfAccounts(this.#terms, leased);
    const rows = await tx.all<JobRow>(
      `SELECT ${JOB} FROM job_turn AS t JOIN job AS j ON j.kind = t.kind AND j.key =
         (SELECT w.key ${WAITING_OF_TURN} AND w.run_at <= :now AND NOT (w.account_key ${oneOf('accounts')})
           ORDER BY w.run_at LIMIT 1)
        WHERE ${isTurnOf(tx.dialect)} AND j.run_at <= :now AND j.lease_holder IS NULL ${skipLocked}`,
      { now, accounts: ofAccounts.full().map(({ owner }) => owner), ...turnValues(turns) },
    );
    return new Map(rows.map((row) => [toTurnName(row), row]));
  }

  /** Leases jobs, and returns those that no other call has. */
  async #lease(tx: Statements, jobs: readonly JobRow[], revived: 0 | 1 = 0): Promise<Job[]> {
    if (jobs.length === 0) return [];
    const { holder, leaseUntil, now, kinds } = this.#terms;
    const { oneOf } = tx.dialect;
    const leased = await tx.all<JobName>(
      `UPDATE job SET run_at = :leaseUntil, lease_holder = :holder, attempts = attempts + 1, unfinished = unfinished + 1,
              revived = :revived
        WHERE kind ${oneOf('kinds')} AND key ${oneOf('keys')} AND kind || ' ' || key ${oneOf('names')}
          AND ${revived === 0 ? 'lease_holder IS NULL' : 'run_at <= :now'}
       RETURNING kind, key`,
      {
        ...{ holder, leaseUntil, revived, now, kinds },
        ...{ keys: jobs.map(({ key }) => key), names: jobs.map(toJobName) },
      },
    );
    const names = new Set(leased.map(toJobName));
    return jobs
      .filter((job) => names.has(toJobName(job)))
      .map(({ trace, ...job }) => ({
        ...job,
        ...(trace !== undefined && { trace }),
        ...(revived === 1 && { isRevived: true as const }),
      }));
  }

  /**
   * Lets the owners of jobs go behind others in all slices. Moves each turn to its next job; if one is due already, a turn
   * without a job that may run now is moved to a second from now.
   */
  async #moveTurns(tx: Statements, jobs: readonly JobRow[], idle: readonly Turn[]): Promise<void> {
    const { kinds, now } = this.#terms;
    const { oneOf, skipLocked } = tx.dialect;
    const isServed = `${TURN_NAME} ${oneOf('served')}`;
    if (jobs.length > 0)
      // `|| ''` keeps SQLite from searching all turns of a kind instead of those of the owners.
      await tx.change(
        `WITH behind AS
          (SELECT t.owner, t.kind, t.host FROM job_turn AS t
            WHERE t.owner ${oneOf('owners')} AND (t.kind || '') ${oneOf('kinds')} AND t.served_at < :now
              AND NOT (${TURN_NAME} ${oneOf('turns')}) ${skipLocked})
         UPDATE job_turn SET served_at = :now, turn_at = CASE WHEN turn_at < :now THEN :now ELSE turn_at END
          WHERE owner ${oneOf('owners')} AND (owner, kind, host) IN (SELECT owner, kind, host FROM behind)`,
        { now, kinds, ...turnValues(jobs) },
      );
    if (idle.some(({ servedAt }) => servedAt + REMEMBERED_MS <= now))
      await tx.change(
        `DELETE FROM job_turn AS t WHERE ${isTurnOf(tx.dialect)} AND t.served_at <= :since
            AND NOT EXISTS (SELECT 1 ${WAITING_OF_TURN})`,
        { since: now - REMEMBERED_MS, ...turnValues(idle) },
      );
    if (jobs.length + idle.length === 0) return;
    await tx.change(
      `UPDATE job_turn AS t SET
         served_at = CASE WHEN ${isServed} THEN :now ELSE served_at END,
         turn_at =
          (SELECT CASE WHEN next_at > :now THEN next_at WHEN ${isServed} THEN :now
                       ELSE CAST(:now AS BIGINT) + ${LOOK_AGAIN_MS} END
             FROM (SELECT COALESCE((SELECT MIN(w.run_at) ${WAITING_OF_TURN}),
                     ${REMEMBERED_MS} + CASE WHEN ${isServed} THEN :now ELSE t.served_at END) AS next_at) AS next)
        WHERE ${isTurnOf(tx.dialect)}`,
      { now, served: jobs.map(toTurnName), ...turnValues([...jobs, ...idle]) },
    );
  }

  async #visitExpired(
    tx: Statements,
    slice: number,
    dueSince: number,
  ): Promise<Pick<TakenJobs, 'jobs' | 'setAside'>> {
    const { kinds, now } = this.#terms;
    const free = `SELECT slice FROM job_slice WHERE slice = :slice ${tx.dialect.skipLocked}`;
    if ((await tx.get(free, { slice })) === undefined) return { jobs: [], setAside: [] };
    await tx.change(LOCK, { slice });
    const setAside = await setAsideDead(tx, slice, now);
    const leased = await tx.all<Leased>(LEASED, { slice, now });
    if (!this.#mayRevive() || leased.some(({ revived }) => revived === 1)) return { jobs: [], setAside };
    const [here, atHosts] = [this.#countHere(), countAtHosts(this.#terms, leased)];
    const ofAccounts = countOfAccounts(this.#terms, leased);
    // Few rows: at most as many jobs as ran when their processes died.
    const died = await tx.all<JobRow>(`${REVIVED} ${tx.dialect.skipLocked}`, { slice, dueSince });
    const job = died.find(
      (row) =>
        kinds.includes(row.kind) &&
        here.isFree(withoutHost(row)) &&
        atHosts.isFree(row) &&
        ofAccounts.isFree(toAccountPlace(row)),
    );
    return { jobs: await this.#lease(tx, job === undefined ? [] : [job], 1), setAside };
  }

  /** Returns the running jobs of this process. An abandoned run counts for its owner, but its slot is free for others. */
  #countHere(): SlotCounts {
    const { running, abandoned, most } = this.#terms;
    const { slots = UNLIMITED, ofOwner = UNLIMITED, share = 1 } = most;
    const limits = { slots: slots + abandoned.length, share, ofOwner };
    return new SlotCounts(limits, [...running, ...this.jobs].map(withoutHost));
  }

  /**
   * Returns whether the application may not have the last job of this call: it is for an application without any, which may
   * have become due after very many jobs of few others.
   */
  #isReserved(clientId: string, jobs: readonly JobRow[] = []): boolean {
    const all = [...this.jobs, ...jobs];
    return all.length > 0 && all.length === this.#limit - 1 && all.some((job) => job.clientId === clientId);
  }
}

async function setAsideDead(tx: Statements, slice: number, now: number): Promise<JobName[]> {
  const setAside: JobName[] = [];
  const runAt = now + SET_ASIDE_MS;
  for (const { kind, key, ...place } of await tx.all<JobName & SlotPlace>(DIED, { slice, now })) {
    await tx.change(
      `INSERT INTO job_turn (client_id, owner, kind, host, turn_at)
       VALUES (:clientId, :owner, :kind, :host, :runAt) ${OR_EARLIER}`,
      { ...place, kind, runAt },
    );
    const updated = await tx.change(SET_ASIDE, { kind, key, runAt, now });
    if (updated > 0) setAside.push({ kind, key });
  }
  return setAside;
}

const UNLIMITED = Number.POSITIVE_INFINITY;

/** Counts the running jobs of these kinds at the hosts of `leased` jobs. */
function countAtHosts({ kinds, abandoned, most }: TakeTerms, leased: readonly Leased[]): SlotCounts {
  const { ofHost = UNLIMITED, ofOwnerAtHost = UNLIMITED, share = 1 } = most;
  const ofKinds = leased.filter(({ kind }) => kinds.includes(kind));
  return new SlotCounts({ ofHost, share, ofOwnerAtHost }, [...ofKinds, ...abandoned]);
}

const countOfAccounts = ({ abandoned, most }: TakeTerms, leased: readonly Leased[]): SlotCounts =>
  new SlotCounts({ ofOwner: most.ofAccount }, [...leased, ...abandoned].map(toAccountPlace));

/** Returns the turns that get a slot if each has a job, so that only their jobs are read. Leaves the counts unchanged. */
function fitting(turns: readonly Turn[], here: SlotCounts, atHosts: SlotCounts): Turn[] {
  const fit = turns.filter((turn) => {
    const isFree = here.isFree(withoutHost(turn)) && atHosts.isFree(turn);
    if (isFree) {
      here.add(withoutHost(turn));
      atHosts.add(turn);
    }
    return isFree;
  });
  for (const turn of fit) {
    here.remove(withoutHost(turn));
    atHosts.remove(turn);
  }
  return fit;
}

const isTurnOf = ({ oneOf }: Dialect): string =>
  `t.owner ${oneOf('owners')} AND ${TURN_NAME} ${oneOf('turns')}`;
const turnValues = (turns: readonly TurnName[]): Values => ({
  owners: turns.map(({ owner }) => owner),
  turns: turns.map(toTurnName),
});
const toTurnName = ({ kind, owner, host }: TurnName): string => `${kind} ${owner} ${host}`;
const toJobName = ({ kind, key }: JobName): string => `${kind} ${key}`;
const kindValues = (kinds: readonly JobKind[]): Values =>
  Object.fromEntries(kinds.map((kind, n) => [`kind${n}`, kind]));

const withoutHost = ({ clientId, owner }: SlotPlace): SlotPlace => ({ clientId, owner, host: '' });
const toAccountPlace = ({ accountKey }: JobPlace): SlotPlace => ({
  clientId: '',
  owner: accountKey,
  host: '',
});
