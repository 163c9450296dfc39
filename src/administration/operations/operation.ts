/** An operation of administration. Routes, their reference and commands derive from its row. */
import type { By } from '../../audit/audit-entry.ts';
import type { LogoDrawing } from '../../branding/logo-drawing.ts';
import {
  asObject,
  converted,
  type Input,
  type Members,
  type Mistake,
  oneOf,
  parsed,
  readBody,
  readMembers,
  readQuery,
  refuseMistakes,
  required,
  type Table,
  text,
  thousands,
  wholeNumberText,
} from '../../http/fields.ts';
import type { ErrorRow } from '../../http/refusal.ts';
import type { Egress } from '../../lib/egress/egress.ts';
import type { PrivateNetwork } from '../../lib/egress/private-network.ts';
import { jsonIn } from '../../lib/json.ts';
import type { Mailer } from '../../lib/mail/mailer.ts';
import { nearestOf } from '../../lib/nearest.ts';
import { openWith, sealWith } from '../../lib/sealing.ts';
import type { MetricFamily } from '../../metrics/metrics-text.ts';
import type { SigningKeyStore } from '../../oauth/signing-key-store.ts';
import type { PresentedKey } from '../../people/admin-keys.ts';
import type { Permission } from '../../people/permission.ts';
import type { AlertTest } from '../../system/alert-channels.ts';
import type { OperatorStores } from '../../system/operator-stores.ts';
import type { RunningProgram } from '../../system/running-program.ts';
import type { WebhookSigner } from '../../webhooks/webhook-signer.ts';
import type { ApplicationAppsDeps } from '../application-apps.ts';
import { type DocumentField, toDocument } from '../documents/field.ts';

export type AdministrationDeps = Omit<OperatorStores, 'signingKeys'> &
  By & {
    readonly actor: 'command line' | PresentedKey;
    /** The private addresses that deliveries may reach. */
    readonly privateNetwork: PrivateNetwork;
    /** Returns the origins of logos and of the dashboard, if it is on. */
    addresses(): Promise<{ readonly url: string; readonly dashboardUrl?: string | undefined }>;
    /** Mails one-time links. Undefined if no mail server is set. */
    readonly mailer: Mailer | undefined;
    readonly program: RunningProgram;
    /** The days for which requests are stored; 0 if they are not. */
    readonly requestLogDays: number;
    /** Sends a test to each recipient of alerts. */
    readonly testAlerts: () => Promise<readonly AlertTest[]>;
    /** Undefined if no metrics are counted. */
    readonly readMetrics?: (() => Promise<readonly MetricFamily[]>) | undefined;
    readonly drawLogo: LogoDrawing;
    /** Fetches logos. */
    readonly egress: Egress;
    readonly signingKeyStore: SigningKeyStore;
    /** The limits and registrations for checks of an application's provider app. Undefined at the command line, which has no such command. */
    readonly appChecking?: Pick<ApplicationAppsDeps, 'appRegistrations' | 'appChecks'> | undefined;
    /** Sends test deliveries. */
    readonly webhookEgress: Egress;
    /** Returns the signer of deliveries. A command loads its keys when it is first used. */
    openSigner(): Promise<WebhookSigner>;
    /** The version in `If-Match`. It is -1 for a value that no ETag has. */
    readonly ifVersion?: number | undefined;
    /** Logs an unexpected error that the result only mentions. Undefined if the result may name it. */
    readonly noteFailure?: (reason: unknown) => void;
    /** Epoch milliseconds. */
    readonly now: () => number;
  };

export type Operation<Path extends Table, Fields extends Table, Result> = {
  /** Unique; generated clients use this name. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/admin/v1`, with `{name}` for variable parts. */
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  readonly description?: string;
  /** Checked before the body is read, for the application in the path. Without one, only the role is: `run` checks the rest. */
  readonly permission: Permission;
  readonly pathFields: Path;
  /** The query of GET and DELETE, otherwise the body. */
  readonly fields: Fields;
  /** The command of the command line that does the same. */
  readonly command: string | undefined;
  /** 200 unless given. */
  readonly status?: number;
  /** The errors besides those that every operation can return. */
  readonly errors?: readonly ErrorRow[];
  /** The names in the document of the result. */
  readonly result: readonly string[];
  /** Returns the ETag of a result. The operation then compares `ifVersion`. */
  version?(result: Result): number | undefined;
  /** The limit of the body, if it is not 16 kB. */
  readonly mostBytes?: number;
  /** The name of the count that the dry run of a removal returns. The row then has `count`, and the field `dry_run`. */
  readonly counted?: string;
  /** Counts what `run` would remove. */
  count?(input: Input<Path> & Input<Fields>, deps: AdministrationDeps): Promise<number>;
  /** Returns only what the actor may read: the result is the source of the document and of the command's text. */
  run(input: Input<Path> & Input<Fields>, deps: AdministrationDeps): Promise<Result>;
  /** Returns the JSON of a result. */
  toDocument(result: Result, deps: AdministrationDeps): object;
};

export type AdminOperation = Operation<Table, Table, unknown>;

/** Returns the row, whose types follow from its fields. */
export const operation = <Path extends Table, Fields extends Table, Result>(
  row: Operation<Path, Fields, Result>,
): Operation<Path, Fields, Result> => row;

/** A request that accepts this type gets the output of the operation's command: its text and its document. */
export const COMMAND_MEDIA_TYPE = 'application/vnd.kalends.command+json';

/** Returns whether the fields of an operation are in the query. */
export const isInQuery = ({ method }: Pick<AdminOperation, 'method'>): boolean =>
  method === 'get' || method === 'delete';

/** Returns the parts of a request with these fields; undefined ones are left out. */
export function toRequest(
  row: Pick<AdminOperation, 'method' | 'pathFields'>,
  fields: Members,
): { params: Members; query: Readonly<Record<string, string>>; body: Members } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const [params, others] = [true, false].map((isInPath) =>
    given.filter(([name]) => name in row.pathFields === isInPath),
  );
  const query = others?.map(([name, value]) => [name, String(value)] as const);
  return {
    params: Object.fromEntries(params ?? []),
    query: Object.fromEntries(isInQuery(row) ? (query ?? []) : []),
    body: Object.fromEntries(isInQuery(row) ? [] : (others ?? [])),
  };
}

export type ReceivedInput = { readonly params: unknown; readonly query: unknown; readonly body: unknown };

/** Reads the input of an operation. Throws 400 with every mistake; an unknown field is one. */
export function readInput(
  row: Pick<AdminOperation, 'method' | 'pathFields' | 'fields'>,
  { params, query, body }: ReceivedInput,
): Members {
  const isQuery = isInQuery(row);
  refuseUnknown(query, isQuery ? row.fields : {});
  if (!isQuery) refuseUnknown(body, row.fields);
  return {
    ...readMembers(asObject(params) ?? {}, row.pathFields),
    ...(isQuery ? readQuery(query, row.fields) : readBody(body, row.fields)),
  };
}

function refuseUnknown(sent: unknown, fields: Table): void {
  const names = Object.keys(fields);
  const unknown = Object.keys(asObject(sent) ?? {}).filter((name) => !names.includes(name));
  refuseMistakes(unknown.map((field): Mistake => ({ field, problem: unknownProblem(field, names) })));
}

/** Returns the problem of a name that is none of `names`. */
export function unknownProblem(name: string, names: readonly string[]): string {
  const nearest = nearestOf(name, names);
  return `is unknown${nearest === undefined ? '' : `: did you mean ${nearest}?`}`;
}

const ID_CHARACTERS = 512;
const id = (doc: string, example: string) => required(text({ max: ID_CHARACTERS, doc, example }));

export const CLIENT = { client_id: id('The id of the application.', 'projN4dQeN7kqVwzT2bLxR9s') };
export const USER = {
  ...CLIENT,
  user_id: id("The user's id, as the application assigned it.", 'user-1'),
};

const MOST = 200;
const USUAL = 50;

export const PAGE = {
  limit: wholeNumberText({ min: 1, max: MOST, doc: `The page size; ${USUAL} by default.`, example: USUAL }),
  after: text({ max: 4_000, doc: 'The `next` of the previous page.' }),
};

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** A list of texts in a body. */
export const texts = (doc: string) =>
  parsed((value) => (isTexts(value) ? value : undefined), {
    ...{ doc, schema: { type: 'array', items: { type: 'string' } }, problem: 'must be a list of texts' },
  });

/** Returns a flag of a query. */
export const queryFlag = (doc: string) =>
  converted(oneOf(['true', 'false'], { doc }), (value) => value === 'true');

export const DRY_RUN = {
  dry_run: queryFlag('`true`: nothing is deleted, and the response only has counts.'),
};

/** Returns the document of the dry run that the input requests, undefined without one. */
export async function dryRun(
  { counted, count }: Pick<AdminOperation, 'counted' | 'count'>,
  input: Members,
  deps: AdministrationDeps,
): Promise<Readonly<Record<string, number>> | undefined> {
  if (counted === undefined || input.dry_run !== true) return undefined;
  return { [counted]: (await count?.(input, deps)) ?? 0 };
}

/** A number from `min` to `max`, both inclusive, such as 0.5. */
export const fractionalNumber = ({ min, max, doc }: { min: number; max: number; doc: string }) =>
  parsed((value) => (typeof value === 'number' && value >= min && value <= max ? value : undefined), {
    ...{ doc, schema: { type: 'number', minimum: min, maximum: max } },
    problem: `must be a number from ${min} to ${thousands(max)}`,
  });

const OVERLAP_HOURS = 24;
const MOST_OVERLAP_HOURS = 720;
const HOUR_MS = 3_600_000;

/** Returns the field of a rotation; `subject` is what it replaces, such as `secret`. `usual` is the default in hours. */
export const overlapField = (subject: string, usual = OVERLAP_HOURS) => ({
  overlap_hours: fractionalNumber({
    ...{ min: 0, max: MOST_OVERLAP_HOURS },
    doc: `The hours for which the previous ${subject} stays valid; ${usual} by default.`,
  }),
});

export const overlapMsOf = (hours = OVERLAP_HOURS): number => Math.round(hours * HOUR_MS);

type PageInput = { readonly limit: number | undefined; readonly after: string | undefined };
export type Page<T> = { readonly subjects: readonly T[]; readonly next: string | null };

/** Returns what an operation returns that lists rows: they are called `name` and have these fields. */
export const lists = <T>(name: string, fields: readonly DocumentField<T>[]) => ({
  result: [name, 'next'],
  toDocument: ({ subjects, next }: Page<T>) => ({
    [name]: subjects.map((subject) => toDocument(fields, subject)),
    next,
  }),
});

/** Returns the page of a list that is read as a whole. Throws ApiError 400 if `after` is not the id of a row. */
export function toPage<T>(
  rows: readonly T[],
  idOf: (row: T) => string,
  { limit, after }: PageInput,
): Page<T> {
  const start = after === undefined ? 0 : rows.findIndex((row) => idOf(row) === after) + 1;
  if (after !== undefined && start === 0) refuseAfter();
  const end = start + pageSize(limit);
  const subjects = rows.slice(start, end);
  const last = rows.length > end ? subjects.at(-1) : undefined;
  return { subjects, next: last === undefined ? null : idOf(last) };
}

type SealedPage<Row, Position> = {
  /** The id of the list. */
  readonly list: string;
  readonly read: (page: { readonly after: Position | undefined; readonly limit: number }) => Promise<Row[]>;
  readonly toPosition: (last: Row) => Position;
};

/** Returns the page of a list whose positions are sealed. Reads one row more, which tells whether another page follows. */
export async function readPage<Row, Position extends object>(
  { limit, after }: PageInput,
  { list, read, toPosition }: SealedPage<Row, Position>,
  deps: Pick<AdministrationDeps, 'sealer'>,
): Promise<Page<Row>> {
  const most = pageSize(limit);
  const rows = await read({ after: openPosition<Position>(list, after, deps), limit: most + 1 });
  const subjects = rows.slice(0, most);
  const last = rows.length > most ? subjects.at(-1) : undefined;
  return { subjects, next: last === undefined ? null : sealPosition(list, toPosition(last), deps) };
}

export const pageSize = (limit: number | undefined): number => limit ?? USUAL;

const refuseAfter = () =>
  refuseMistakes([{ field: 'after', problem: 'must be the `next` of the previous page' }]);

const POSITION = 'a position in a list of the administration API';

const positionKey = ({ sealer }: Pick<AdministrationDeps, 'sealer'>): Buffer =>
  sealer.derive('user references');

/** Returns `next` of the list with this id. The position may contain names of users, so it is sealed. */
export const sealPosition = (
  list: string,
  position: object,
  deps: Pick<AdministrationDeps, 'sealer'>,
): string => sealWith(positionKey(deps), JSON.stringify(position), `${POSITION}: ${list}`);

/** Returns the position in `after`. Throws ApiError 400 if it was not sealed for the list with this id. */
export function openPosition<T>(
  list: string,
  after: string | undefined,
  deps: Pick<AdministrationDeps, 'sealer'>,
): T | undefined {
  if (after === undefined) return undefined;
  try {
    return jsonIn(openWith(positionKey(deps), after, `${POSITION}: ${list}`)) as T; // Only sealPosition makes what opens.
  } catch {
    refuseAfter();
    return undefined;
  }
}
