/** Runs a row: its subjects take turns for several rounds, and the medians are returned. */
import { type CallSource, type LoadResult, runLoad } from './load/http-load.ts';
import { cpuSeconds, residentMegabytes } from './process-usage.ts';

/** A subject of a measurement: one server doing one kind of work. */
export type Subject = {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly expectedStatus?: number;
  /** Prepares what a run of that many seconds needs, such as codes to exchange; not measured. */
  prepare(seconds: number): Promise<CallSource>;
};

export type Pace = {
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly rounds: number;
  /**
   * The number of users whose tokens are in use at a time; far more than connections, so that nothing stays hot by
   * chance.
   */
  readonly users: number;
};

export type SubjectResult = {
  readonly name: string;
  /** Requests per second: in each round, and their median. */
  readonly rates: readonly number[];
  readonly rate: number;
  /** Microseconds of the server's processor for one request; median. */
  readonly cpuMicroseconds: number | undefined;
  /** Medians in milliseconds; undefined if no client waits for a response. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  /** Resident memory of the server after the last round, in MB. */
  readonly residentMegabytes: number | undefined;
};

type Round = LoadResult & { readonly cpuMicroseconds: number | undefined };

export async function measureInTurns(subjects: readonly Subject[], pace: Pace): Promise<SubjectResult[]> {
  const rounds = new Map<Subject, Round[]>(subjects.map((subject) => [subject, []]));
  for (const subject of subjects) await measureOnce(subject, pace.warmUpSeconds, pace);
  for (let round = 0; round < pace.rounds; round++) {
    for (const subject of subjects) {
      rounds.get(subject)?.push(await measureOnce(subject, pace.seconds, pace));
    }
  }
  return subjects.map((subject) => resultOf(subject, rounds.get(subject) ?? []));
}

async function measureOnce(subject: Subject, seconds: number, { connections }: Pace): Promise<Round> {
  const { pid, port, expectedStatus = 200 } = subject;
  const source = await subject.prepare(seconds);
  const before = cpuSeconds(pid);
  const result = await runLoad({ port, connections, seconds, expectedStatus }, source);
  const after = cpuSeconds(pid);
  const used = before === undefined || after === undefined ? undefined : after - before;
  return { ...result, cpuMicroseconds: used === undefined ? undefined : (used * 1e6) / result.answers };
}

function resultOf({ name, pid }: Subject, rounds: readonly Round[]): SubjectResult {
  return {
    name,
    ...ratesOf(rounds),
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    residentMegabytes: residentMegabytes(pid),
  };
}

/** Returns the rates of rounds, and their medians. */
export function ratesOf(
  rounds: readonly Pick<Round, 'rate' | 'cpuMicroseconds'>[],
): Pick<SubjectResult, 'rates' | 'rate' | 'cpuMicroseconds'> {
  const rates = rounds.map(({ rate }) => rate);
  const cpu = rounds.flatMap(({ cpuMicroseconds }) => cpuMicroseconds ?? []);
  return { rates, rate: median(rates), cpuMicroseconds: cpu.length === 0 ? undefined : median(cpu) };
}

/** Returns the middle value, or the mean of the two middle values if their number is even. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return (upper + lower) / 2;
}

/** Returns the median of the rounds' ratios: conditions that both subjects of a round share cancel out. */
export function ratioOf(ours: SubjectResult, theirs: SubjectResult): number {
  return median(ours.rates.map((rate, round) => rate / (theirs.rates[round] ?? Number.NaN)));
}
