/** `kalends apply` and `kalends export`: applications and members as a file. */
import { open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { text as readStream } from 'node:stream/consumers';
import type { Applied } from '../administration/operations/apply-manifest.ts';
import { applyOperation, exportOperation } from '../administration/operations/apply-operations.ts';
import type { Change } from '../administration/operations/manifest.ts';
import type { Step } from '../administration/operations/plan-step.ts';
import { asObject, type Members } from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import { readSecret } from './client-options.ts';
import {
  type Command,
  CommandError,
  type Context,
  newFile,
  type Result,
  unreadableFile,
  usageError,
} from './command.ts';
import { INDENT, tabulate } from './help.ts';
import { operationCommand, runAndPrint } from './operation-command.ts';
import { confirm, text, YES } from './option-values.ts';
import { type Operations, rendering } from './rendering.ts';
import { terminalJson } from './terminal-text.ts';

/** The exit code of a dry run with changes. */
const HAS_CHANGES = 3;

const applied = rendering({ operation: applyOperation, render: renderApplied });

function renderApplied({ isDryRun, steps, failure }: Applied) {
  const lines = steps.flatMap(({ action, path, changes }) => [
    `${action} ${path}`,
    ...changes.map((change) => INDENT + renderChange(change, action)),
  ]);
  const count = (action: string) => steps.filter((step) => step.action === action).length;
  const counts = `${count('create')} to create, ${count('update')} to update, ${count('delete')} to delete`;
  const done = `${count('create')} created, ${count('update')} updated, ${count('delete')} deleted.`;
  const summary = isDryRun ? `Nothing was changed: ${counts}.` : done;
  const end = steps.length === 0 && failure === undefined ? 'No changes.' : summary;
  const failed =
    failure &&
    `Failed: ${failure.path}: ${failure.message.replace(/\.$/, '')}. The steps after it were not made.`;
  return {
    text: [...lines, ...(lines.length > 0 ? [''] : []), end, ...(failed ? [failed] : [])].join('\n'),
    exitCode: failure === undefined ? (isDryRun && steps.length > 0 ? HAS_CHANGES : 0) : 1,
  };
}

function renderValue(value: unknown): string {
  if (value === null) return '(none)';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function renderChange({ field, before, after }: Change, action: Step['action']): string {
  if (after === undefined) return `${field}: (secret)`;
  return `${field}: ${action === 'create' ? '' : `${renderValue(before)} → `}${renderValue(after)}`;
}

export const applyCommand: Command = {
  name: 'apply',
  summary: 'Create and change applications and members as a file says',
  options: [
    {
      name: 'file',
      short: 'f',
      value: 'FILE',
      doc: 'The manifest, YAML or JSON; `-` is standard input. In short: `-f FILE`.',
      required: true,
    },
    { name: 'dry-run', doc: 'Print the steps and change nothing. Exit code 3 if there are any.' },
    { name: 'prune', doc: 'Delete what an earlier `apply` created and the file does not list.' },
    { name: 'secrets', value: 'FILE', doc: 'Write new secrets to this new file instead of printing them.' },
    YES,
  ],
  notes: [
    'Fields that the file omits keep their values; null removes one. The page docs/apply.md describes the file. If a step fails, the steps before it stay: apply the file again.',
  ],
  renderings: [applied],
  async run(parsed, context) {
    const { options } = parsed;
    const file = text(options.file) ?? '';
    const source = { io: context.io, folder: path.dirname(file) };
    const manifest = await resolveSecrets(await readManifest(file, context), [], source);
    const fields = { manifest, prune: options.prune };
    const isDryRun = options['dry-run'] === true;
    return withProblems(() =>
      context.withOperations(async (operations) => {
        if (isDryRun) return runAndPrint(applied, { ...fields, dry_run: true }, operations);
        const deleted = options.prune === true ? await listDeleted(fields, operations) : [];
        if (deleted.length > 0) await confirm(`Deleting ${deleted.join(', ')}`, parsed, context);
        return withSecrets(text(options.secrets), () => runAndPrint(applied, fields, operations));
      }),
    );
  },
};

export const exportCommand = operationCommand({
  name: 'export',
  summary: 'Print applications and members as a file for `apply`',
  notes: ['Secrets and logos are left out. The file applied again changes nothing.'],
  operation: exportOperation,
  input: () => ({}),
  async render(manifest) {
    const { stringify } = await import('yaml');
    return { text: stringify(manifest, { lineWidth: 0 }).trimEnd() };
  },
});

async function listDeleted(fields: Members, operations: Operations): Promise<string[]> {
  const { steps } = await operations.read(applyOperation, { ...fields, dry_run: true });
  return (Array.isArray(steps) ? steps : []).flatMap(({ action, path }) =>
    action === 'delete' ? [path] : [],
  );
}

/** Reports all problems of a manifest in one message. */
async function withProblems<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (reason) {
    const details = reason instanceof ApiError && reason.status === 400 ? asObject(reason.body.details) : {};
    const problems = Object.values(details ?? {}).flat();
    if (problems.length < 2) throw reason;
    throw usageError(
      `the manifest has ${problems.length} problems:\n${INDENT}${problems.join(`\n${INDENT}`)}`,
    );
  }
}

/** Adds new secrets to the text, or writes them to a file that only its owner can read. It is opened before anything changes. */
async function withSecrets(name: string | undefined, run: () => Promise<Result>): Promise<Result> {
  if (name === undefined) return printSecrets(await run());
  const file = newFile(name);
  const handle = await open(file, 'wx', 0o600);
  let isWritten = false;
  try {
    const result = await run();
    const { secrets, ...json } = asObject(result.json) ?? {};
    if (!Array.isArray(secrets) || secrets.length === 0) return result;
    // If the disk is full, the secrets would be lost.
    const failure = await handle.writeFile(`${terminalJson({ secrets })}\n`).catch((reason) => reason);
    if (failure !== undefined) return { ...printSecrets(result), exitCode: 1 };
    isWritten = true;
    return { ...result, json, text: `${result.text}\nThe new secrets are in ${file}.` };
  } finally {
    await handle.close();
    if (!isWritten) await rm(file);
  }
}

function printSecrets(result: Result): Result {
  const { secrets } = asObject(result.json) ?? {};
  const rows = (Array.isArray(secrets) ? secrets : []).flatMap(({ path, ...values }: Members) =>
    Object.entries(values).map(([field, value]) => [String(path), field, String(value)]),
  );
  if (rows.length === 0) return result;
  const table = tabulate(rows, { indent: INDENT });
  return { ...result, text: `${result.text}\n\nSave these now, they are not shown again:\n${table}` };
}

/** Parses a manifest. JSON is YAML too. */
async function readManifest(file: string, { io }: Context): Promise<unknown> {
  const read = file === '-' ? readStream(io.stdin) : readFile(file, 'utf8');
  const content = await read.catch((cause: unknown) => {
    throw unreadableFile('unreadable_manifest', file, cause);
  });
  const { parse } = await import('yaml');
  try {
    // An alias can make a part contain itself, which JSON refuses.
    return JSON.parse(JSON.stringify(parse(content) ?? {}));
  } catch (reason) {
    if (!(reason instanceof Error)) throw reason;
    throw usageError(`${file} is not valid YAML: ${reason.message.split('\n')[0]?.replace(/:$/, '')}.`);
  }
}

/** Replaces each `client_secret` that is `{ env: NAME }` or `{ file: PATH }`; paths are relative to `folder`. */
async function resolveSecrets(
  value: unknown,
  keys: readonly string[],
  source: Pick<Context, 'io'> & { readonly folder: string },
): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (keys.at(-1) === 'client_secret') return readSource(value, keys.join('.'), source);
  if (Array.isArray(value)) return value;
  const entries: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value))
    entries.push([key, await resolveSecrets(member, [...keys, key], source)]);
  return Object.fromEntries(entries);
}

async function readSource(
  value: object,
  place: string,
  { io, folder }: Pick<Context, 'io'> & { readonly folder: string },
): Promise<string> {
  const [[kind, name] = [], ...others] = Object.entries(value);
  if (typeof name !== 'string' || others.length > 0 || (kind !== 'env' && kind !== 'file'))
    throw usageError(`${place} must be a text, { env: NAME } or { file: PATH }.`);
  if (kind === 'file') return readSecret(path.resolve(folder, name), io);
  const secret = io.env[name]?.trim() ?? '';
  if (secret !== '') return secret;
  throw new CommandError('empty_secret', `${place} is empty: the variable ${name} is not set.`);
}
