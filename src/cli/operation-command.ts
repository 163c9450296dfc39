/** Commands that run an operation of administration: on the local database, or at a server with `--server`. */
import { Readable } from 'node:stream';
import { type DocumentField, toTable } from '../administration/documents/field.ts';
import { toApiError } from '../administration/operations/administration-error.ts';
import { showApplication } from '../administration/operations/application-operations.ts';
import { showMember } from '../administration/operations/member-operations.ts';
import {
  type AdministrationDeps,
  type AdminOperation,
  readInput,
  toRequest,
} from '../administration/operations/operation.ts';
import { showUser } from '../administration/operations/user-operations.ts';
import { asObject, type Members, type Table } from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import { type Command, CommandError, type Input, type Result } from './command.ts';
import { tabulate } from './help.ts';
import { confirm, limitIn, nextLine, text } from './option-values.ts';
import {
  type Completed,
  type OperationOutput,
  type Operations,
  type Output,
  type Rendering,
  rendering,
} from './rendering.ts';

type Fields<Path extends Table, Sent extends Table> = Readonly<
  Partial<Record<keyof Path | keyof Sent, unknown>>
>;

type Row<Path extends Table, Sent extends Table, Done> = Omit<Command, 'run' | 'renderings'> &
  Parameters<typeof rendering<Path, Sent, Done>>[0] & {
    /** Returns the fields of the operation. */
    input(parsed: Input, operations: Operations): Fields<Path, Sent> | Promise<Fields<Path, Sent>>;
    /** Returns the beginning of the question before the command runs. The command has the option `YES`. */
    confirmation?(parsed: Input, operations: Operations): string | Promise<string>;
  };

/** Returns the command of an operation. Without `limit` and `after`, a list has all pages. */
export function operationCommand<Path extends Table, Sent extends Table, Done>(
  row: Row<Path, Sent, Done>,
): Command {
  const { operation, render, input, confirmation, ...command } = row;
  const output = rendering({ operation, render });
  return {
    ...command,
    renderings: [output],
    run: (parsed, context) =>
      context.withOperations(async (operations) => {
        const fields = await input(parsed, operations);
        if (confirmation !== undefined && parsed.options.yes !== true)
          await confirm(await confirmation(parsed, operations), parsed, context);
        return runAndPrint(output, fields, operations);
      }),
  };
}

/** Runs an operation and returns its output. A list has `limit` rows in one or more pages; without `limit` and `after`, all. */
export async function runAndPrint(row: Rendering, fields: Members, operations: Operations): Promise<Result> {
  const isAll = 'after' in row.operation.fields && fields.limit === undefined && fields.after === undefined;
  let left = isAll ? Number.POSITIVE_INFINITY : Number(fields.limit ?? 0);
  const limit = () => left > 0 && { limit: Math.min(left, MOST_ROWS) };
  const { json, ...output } = await operations.run(row, { ...fields, ...limit() });
  if ('text' in output) return { json, ...output };
  let { next, ...first } = json;
  const all: Record<string, unknown> = first;
  const table = [...output.table];
  for (left -= MOST_ROWS; typeof next === 'string' && left > 0; left -= MOST_ROWS) {
    const page = await operations.run(row, { ...fields, ...limit(), after: next });
    if ('table' in page) table.push(...page.table.slice(1));
    for (const [name, rows] of Object.entries(all))
      if (Array.isArray(rows)) all[name] = rows.concat(page.json[name]);
    ({ next } = page.json);
  }
  const more = typeof next === 'string' ? nextLine(next) : '';
  return {
    json: isAll || next === undefined ? all : { ...all, next },
    text: table.length < 2 ? output.none : tabulate(table) + more,
  };
}

const MOST_ROWS = 200;

/** Returns the page that a command with PAGE_OPTIONS reads. */
export const pageInput = ({ options }: Input) => ({
  limit: limitIn(options),
  after: text(options.after),
});

/** Returns the output of a list: a table of the fields called `columns`. */
export const listOutput = <T>(
  fields: readonly DocumentField<T>[],
  { columns, none }: { readonly columns: readonly string[]; readonly none: string },
  subjects: readonly T[],
): Output => ({ table: toTable(fields, columns, subjects), none });

/** Returns the output of a completed operation. */
export async function renderOutput(
  row: Rendering,
  result: unknown,
  { input, deps }: Completed<Members>,
): Promise<OperationOutput> {
  const output = await row.render(result, { input, deps });
  return { json: asObject(row.operation.toDocument(result, deps)) ?? {}, ...output };
}

/** Returns the operations on the local database. */
export function localOperations(deps: AdministrationDeps): Operations {
  const perform = async (row: AdminOperation, fields: Members) => {
    const input = readInput(row, toRequest(row, fields));
    const result = await row.run(input, deps).catch((reason) => {
      throw toApiError(reason);
    });
    return { input, result };
  };
  return {
    async run(row, fields) {
      const { input, result } = await perform(row.operation, fields);
      return renderOutput(row, result, { input, deps });
    },
    async read(row, fields) {
      const { result } = await perform(row, fields);
      return asObject(row.toDocument(result, deps)) ?? {};
    },
    async stream(row, fields) {
      const document = row.toDocument((await perform(row, fields)).result, deps);
      if (document instanceof Readable) return document;
      throw new Error(`${row.id} has no document in pieces`);
    },
  };
}

/** The fields that name objects in paths, the outer ones first: how to show the object, and that it does not exist. */
const SUBJECTS: Readonly<
  Record<string, [AdminOperation | undefined, (id: unknown, fields: Members) => string]>
> = {
  client_id: [
    showApplication,
    (id) => `There is no application "${id}"; "kalends client list" lists the applications.`,
  ],
  user_id: [
    showUser,
    (id, { client_id: client }) =>
      `The application has no user "${id}"; "kalends user list ${client}" lists its users.`,
  ],
  person_id: [showMember, (id) => `There is no member "${id}"; "kalends admin list" lists all members.`],
  passkey_id: [undefined, (id) => `The member has no passkey "${id}"; see "kalends admin show".`],
  invitation_id: [undefined, (id) => `There is no open link "${id}"; see "kalends admin invitations".`],
  account_key: [
    undefined,
    (id) => `The user has no account "${id}"; "kalends user show" lists the accounts.`,
  ],
  endpoint_id: [
    undefined,
    (id) => `There is no endpoint "${id}"; "kalends webhook list" lists the endpoints.`,
  ],
  delivery_id: [undefined, () => 'The application has no such delivery; deliveries are kept for 30 days.'],
  key_id: [undefined, (id) => `There is no admin key "${id}"; "kalends admin key list" lists the keys.`],
};

/** Returns the error for an object that does not exist; `field` names it in paths. */
export const missing = (field: string, fields: Members): CommandError =>
  new CommandError('not_found', SUBJECTS[field]?.[1](fields[field], fields) ?? 'There is no such object.');

/** Returns the operations with errors that name the object that does not exist. */
export function namingMissing(operations: Operations): Operations {
  const isMissing = (reason: unknown) => reason instanceof ApiError && reason.body.code === 'not_there';
  const explain = (row: AdminOperation, fields: Members) => async (reason: unknown) => {
    if (!isMissing(reason)) throw reason;
    const names = Object.keys(SUBJECTS).filter(
      (name) => name in row.pathFields || (name in row.fields && fields[name] !== undefined),
    );
    for (const name of names) {
      const show = name === names.at(-1) ? undefined : SUBJECTS[name]?.[0];
      const path = show && Object.fromEntries(Object.keys(show.pathFields).map((key) => [key, fields[key]]));
      const failure = show && (await operations.read(show, path ?? {}).catch((reason: unknown) => reason));
      if (show === undefined || isMissing(failure)) throw missing(name, fields);
    }
    throw reason;
  };
  return {
    run: (row, fields) => operations.run(row, fields).catch(explain(row.operation, fields)),
    read: (row, fields) => operations.read(row, fields).catch(explain(row, fields)),
    stream: (row, fields) => operations.stream(row, fields).catch(explain(row, fields)),
  };
}
