/** Chooses the jobs that one call claims, owner by owner. */
import type { Job, JobKind, JobName, JobPlace, TakenJobs, TakeTerms } from '../../jobs/job-store.ts';
import { SlotCounts, type SlotPlace } from '../../lib/fair-slots/slot-counts.ts';
import type { Dialect, Statements } from '../drivers/database.ts';
import { MOST_UNFINISHED, OR_EARLIER } from './job-rows.ts';

/** Interval between the runs of a job that was set aside, in milliseconds. */
export const SET_ASIDE_MS = 24 * 3_600_000;
/** A job whose lease expired waits this long behind others. */
const BEHIND_OTHERS_MS = 60_000;
/** If all due jobs of a turn wait for their accounts, the turn is checked again after this time. */
const LOOK_AGAIN_MS = 1_000;
/** Limits of one call, so that it takes a few milliseconds at most: turns checked together, and rounds. */
const TURNS_AT_ONCE = 16;
const MOST_ROUNDS = 8;
/** Number of earliest turns among which the owner served longest ago goes first. */
const TURNS_COMPARED = 1_000;
/** Time for which the last run of an owner without further jobs is remembered. */
const REMEMBERED_MS = 24 * 3_600_000;

// Serializes the callers: each counts the running jobs of accounts and hosts before it claims more.
const LOCK = `UPDATE job_turn SET turn_at = turn_at WHERE owner = '' AND kind = '' AND host = ''`;
const LEASED = `
  SELECT kind, client_id, owner, account_key, host, revived
    FROM job WHERE lease_holder IS NOT NULL AND run_at > :now`;
const LEASE = `
  UPDATE job SET run_at = :leaseUntil, lease_holder = :holder, attempts = attempts + 1, unfinished = unfinished + 1,
         revived = :revived
   WHERE kind = :kind AND key = :key`;
const DIED = `
  SELECT kind, key, client_id, owner, host FROM job
   WHERE lease_holder IS NOT NULL AND run_at <= :now AND unfinished >= ${MOST_UNFINISHED}`;
const SET_ASIDE = `
  UPDATE job SET run_at = :runAt, again_at = NULL, lease_holder = NULL, revived = 0
   WHERE kind = :kind AND key = :key AND lease_holder IS NOT NULL AND run_at <= :now`;
const OF_TURN = 'owner = :owner AND kind = :kind AND host = :host';
const NEXT_OF_TURN = `
  SELECT run_at FROM job WHERE ${OF_TURN} AND lease_holder IS NULL ORDER BY run_at LIMIT 1`;
const JOB = 'kind, key, client_id, owner, account_key, host, attempts, trace';
const REVIVED = `
  SELECT ${JOB} FROM job
   WHERE lease_holder IS NOT NULL AND run_at <= :dueSince ORDER BY run_at`;

type JobRow = Omit<Job, 'trace'> & { readonly trace: string | undefined };
type Turn = SlotPlace & { readonly kind: JobKind; readonly servedAt: number };
type Leased = JobPlace & { readonly kind: JobKind; readonly revived: number };

export async function takeJobs(tx: Statements, terms: TakeTerms): Promise<TakenJobs> {
  await tx.change(LOCK);
  const setAside = await setAsideDead(tx, terms.now);
  const leased = await tx.all<Leased>(LEASED, { now: terms.now });
  const taking = new Taking(tx, terms, leased);
  let goesOn = true;
  for (let round = 0; goesOn && round < MOST_ROUNDS; round += 1) goesOn = await taking.takeRound();
  if (!goesOn && !leased.some(({ revived }) => revived === 1)) await taking.takeRevived();
  return { jobs: taking.jobs, setAside, passedOver: taking.passedOver, isCut: goesOn };
}

async function setAsideDead(tx: Statements, now: number): Promise<JobName[]> {
  const setAside: JobName[] = [];
  const runAt = now + SET_ASIDE_MS;
  for (const { kind, key, ...place } of await tx.all<JobName & SlotPlace>(DIED, { now })) {
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

class Taking {
  readonly jobs: Job[] = [];
  readonly passedOver: string[] = [];
  readonly #tx: Statements;
  readonly #terms: TakeTerms;
  /** Running jobs of this process. */
  readonly #here: SlotCounts;
  /** Running jobs at the hosts, across all instances. */
  readonly #atHosts: SlotCounts;
  readonly #ofAccounts: SlotCounts;

  constructor(tx: Statements, terms: TakeTerms, leased: readonly Leased[]) {
    const { kinds, running, abandoned, most } = terms;
    const { slots = UNLIMITED, ofOwner = UNLIMITED, ofHost = UNLIMITED, ofOwnerAtHost = UNLIMITED } = most;
    const { share = 1, ofAccount } = most;
    this.#tx = tx;
    this.#terms = terms;
    // An abandoned run counts for its owner and application, but its slot is free for others.
    const inAll = { slots: slots + abandoned.length, share, ofOwner };
    this.#here = new SlotCounts(inAll, running.map(withoutHost));
    const ofKinds = leased.filter(({ kind }) => kinds.includes(kind));
    this.#atHosts = new SlotCounts({ ofHost, share, ofOwnerAtHost }, [...ofKinds, ...abandoned]);
    this.#ofAccounts = new SlotCounts({ ofOwner: ofAccount }, [...leased, ...abandoned].map(toAccountPlace));
  }

  /** Claims one job of each owner that is due. Returns whether another round may find more. */
  async takeRound(): Promise<boolean> {
    const served = new Set<string>();
    const turns = await this.#dueTurns();
    for (const turn of turns) {
      if (this.#isEnough()) return false;
      const { clientId, owner } = turn;
      if (served.has(owner) || !this.#isFree(turn)) {
        if (this.#here.isFull({ clientId })) this.passedOver.push(clientId);
        continue;
      }
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

  /** Claims one job whose lease expired, if any may run now. */
  async takeRevived(): Promise<void> {
    if (this.#isEnough()) return;
    const { kinds, now } = this.#terms;
    const dueSince = this.jobs.length === 0 ? now : now - BEHIND_OTHERS_MS;
    // Few rows: at most as many jobs as ran when their processes died.
    const died = await this.#tx.all<JobRow>(`${REVIVED} ${this.#tx.dialect.skipLocked}`, { dueSince });
    const job = died.find(
      (one) => kinds.includes(one.kind) && this.#isFree(one) && this.#ofAccounts.isFree(toAccountPlace(one)),
    );
    if (job !== undefined) await this.#lease(job, 1);
  }

  #isFree(place: SlotPlace): boolean {
    return this.#here.isFree(withoutHost(place)) && this.#atHosts.isFree(place);
  }

  #isEnough(): boolean {
    return this.jobs.length >= this.#terms.limit;
  }

  async #dueTurns(): Promise<Turn[]> {
    const { kinds, now } = this.#terms;
    const { dialect } = this.#tx;
    const others = butNot([...this.#here.full(), ...this.#atHosts.full()], dialect);
    const turns: Turn[] = [];
    for (const kind of kinds) {
      const rows = await this.#tx.all<Turn>(
        `SELECT client_id, owner, kind, host, served_at FROM job_turn WHERE (owner, kind, host) IN
          (SELECT owner, kind, host FROM
            (SELECT owner, kind, host, turn_at, served_at FROM job_turn
              WHERE kind = :kind AND turn_at <= :now ${others.text}
              ORDER BY turn_at LIMIT ${TURNS_COMPARED}) AS due
            ORDER BY served_at, turn_at LIMIT ${TURNS_AT_ONCE})
          ORDER BY served_at, turn_at ${dialect.skipLocked}`,
        { kind, now, ...others.values },
      );
      turns.push(...rows);
    }
    return turns.sort((one, other) => one.servedAt - other.servedAt);
  }

  #dueJobOf({ owner, kind, host }: Turn): Promise<JobRow | undefined> {
    const { oneOf, skipLocked } = this.#tx.dialect;
    const accounts = this.#ofAccounts.full().map((account) => account.owner);
    return this.#tx.get<JobRow>(
      `SELECT ${JOB} FROM job
        WHERE ${OF_TURN} AND run_at <= :now AND lease_holder IS NULL AND NOT (account_key ${oneOf('accounts')})
        ORDER BY run_at LIMIT 1 ${skipLocked}`,
      { owner, kind, host, now: this.#terms.now, accounts },
    );
  }

  async #lease({ trace, ...job }: JobRow, revived: 0 | 1): Promise<void> {
    const { kind, key } = job;
    const { holder, leaseUntil } = this.#terms;
    await this.#tx.all(LEASE, { kind, key, holder, leaseUntil, revived });
    this.jobs.push(trace === undefined ? job : { ...job, trace });
    this.#here.add(withoutHost(job));
    this.#atHosts.add(job);
    this.#ofAccounts.add(toAccountPlace(job));
  }

  /** Moves a turn to the time of its next job; if one is due already, to `later` milliseconds from now. */
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

const UNLIMITED = Number.POSITIVE_INFINITY;

const withoutHost = ({ clientId, owner }: SlotPlace): SlotPlace => ({ clientId, owner, host: '' });
const toAccountPlace = ({ accountKey }: JobPlace): SlotPlace => ({
  clientId: '',
  owner: accountKey,
  host: '',
});

/** Up to this many names are compared one by one: in SQLite, three times as fast as a lookup in a list. */
const FEW_NAMES = 8;
const NAMES = ['clientId', 'owner', 'host'] as const;
/** Combinations of names that can be full, with their columns. An application can have the most turns and is first. */
const LEVELS = {
  clientId: 'client_id',
  host: 'host',
  'clientId host': "client_id || ' ' || host",
  owner: 'owner',
  'owner host': "owner || ' ' || host",
};

/** Returns conditions that exclude the turns of full places. There are few texts, so that each is prepared once. */
function butNot(full: readonly SlotPlace[], { oneOf }: Dialect) {
  const texts: string[] = [];
  const values: Record<string, string | readonly string[]> = {};
  for (const [index, [level, columns]] of Object.entries(LEVELS).entries()) {
    const places = full.filter((place) => NAMES.filter((name) => place[name] !== '').join(' ') === level);
    const names = places.map((place) => NAMES.flatMap((name) => place[name] || []).join(' '));
    const [first] = names;
    if (first === undefined) continue;
    if (names.length > FEW_NAMES) {
      texts.push(`AND NOT (${columns} ${oneOf(`full${index}`)})`);
      values[`full${index}`] = names;
      continue;
    }
    for (let number = 0; number < FEW_NAMES; number += 1) {
      texts.push(`AND ${columns} <> :full${index}n${number}`);
      values[`full${index}n${number}`] = names[number] ?? first;
    }
  }
  return { text: texts.join(' '), values };
}
