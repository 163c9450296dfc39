/**
 * `--google-client-id` and similar options: the provider app of an application at Google or Microsoft. Secrets come from a
 * file or standard input, since arguments are visible in the shell's history and in the list of processes.
 */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import {
  APP_KINDS,
  APP_NAMES,
  type AppKind,
  checkProviderApp,
  type ProviderAppStore,
} from '../access/provider-apps.ts';
import {
  CommandError,
  type CommandOption,
  type Input,
  type Io,
  unreadableFile,
  usageError,
} from './command.ts';

const idOption = (kind: AppKind): string => `${kind}-client-id`;
const secretOption = (kind: AppKind): string => `${kind}-client-secret-file`;

export const PROVIDER_APP_OPTIONS: readonly CommandOption[] = APP_KINDS.flatMap((kind) => [
  {
    name: idOption(kind),
    value: 'ID',
    doc: `The client id of its own ${APP_NAMES[kind]} app, used instead of that of the instance.`,
  },
  {
    name: secretOption(kind),
    value: 'FILE',
    doc: `A file with the secret of that ${APP_NAMES[kind]} app; \`-\` is standard input.`,
  },
]);

/** The change for one provider: a new app, a new secret, or, without a secret, the removal of the app. */
export type AppChange = {
  readonly kind: AppKind;
  readonly appClientId: string | undefined;
  readonly clientSecret: string | undefined;
};

/** Reads the options and the secrets. Throws a usage error for options that contradict each other. */
export async function readAppChanges({ options }: Pick<Input, 'options'>, io: Io): Promise<AppChange[]> {
  const changes: AppChange[] = [];
  const fromInput = APP_KINDS.filter((kind) => options[secretOption(kind)] === '-');
  if (fromInput.length > 1)
    throw usageError('Standard input can have only one secret: use a file for the other.');
  for (const kind of APP_KINDS) {
    const [appClientId, file] = [options[idOption(kind)], options[secretOption(kind)]];
    if (typeof appClientId !== 'string' && typeof file !== 'string') continue;
    const removes = appClientId === '';
    if (removes && file !== undefined) {
      throw usageError(`--${secretOption(kind)} cannot be used if --${idOption(kind)} "" removes the app.`);
    }
    if (!removes && typeof file !== 'string') throw usageError(`--${secretOption(kind)} FILE is missing.`);
    const clientSecret = typeof file === 'string' ? await readSecret(file, io) : undefined;
    const change = { kind, appClientId: appClientId === true ? undefined : appClientId, clientSecret };
    checkProviderApp(change);
    changes.push(change);
  }
  return changes;
}

/** Throws a usage error for a new secret without an app. */
export async function checkAppChanges(
  clientId: string | undefined,
  changes: readonly AppChange[],
  apps: ProviderAppStore,
): Promise<void> {
  const set = clientId === undefined ? {} : await apps.listProviderApps(clientId);
  for (const { kind, appClientId } of changes) {
    if (appClientId === undefined && set[kind] === undefined)
      throw usageError(`--${idOption(kind)} ID is missing: no ${APP_NAMES[kind]} app is set.`);
  }
}

/** Saves or removes the apps. */
export async function applyAppChanges(
  clientId: string,
  changes: readonly AppChange[],
  { providerApps, now }: { readonly providerApps: ProviderAppStore; readonly now: () => number },
): Promise<void> {
  for (const { kind, appClientId, clientSecret } of changes) {
    if (clientSecret === undefined) {
      await providerApps.removeProviderApp(clientId, kind);
      continue;
    }
    const id = appClientId ?? (await providerApps.listProviderApps(clientId))[kind] ?? '';
    await providerApps.setProviderApp({ clientId, kind }, { clientId: id, clientSecret }, now());
  }
}

/** Reads a secret from a file, or from standard input for `-`. Throws CommandError if it is empty. */
export async function readSecret(file: string, io: Io): Promise<string> {
  const content = file === '-' ? await text(io.stdin) : await readSecretFile(file);
  const secret = content.trim();
  if (secret !== '') return secret;
  throw new CommandError('empty_secret', `There is no secret in ${file === '-' ? 'standard input' : file}.`);
}

async function readSecretFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw unreadableFile('unreadable_secret', file, cause);
  }
}
