/** Runs commands in this process, on a data folder of the test's own, as main.ts does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';

import type { SandboxRequest } from '../../src/cli/command.ts';
import type { Config } from '../../src/config/config.ts';
import { type Run, runHere } from '../harness/command-here.ts';

type Variables = Readonly<Record<string, string>>;

export type CommandLine = Awaited<ReturnType<typeof openCommandLine>>;

/**
 * Opens a command line on its own data folder. `served` has the arguments of `serve`, `sandboxes` those of each
 * sandbox. `answer` is the input at the terminal, and `given` are variables set before the command.
 */
export async function openCommandLine(variables: Variables = {}) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kalends-cli-'));
  // A port without a server, so that `doctor` does not find another program.
  const env = { KALENDS_DATA_DIR: dataDir, KALENDS_PORT: '9', ...variables };
  const served: { config: Config; json: boolean }[] = [];
  const sandboxes: SandboxRequest[] = [];

  const run = async (args: readonly string[], answer?: string, given: Variables = {}): Promise<Run> => {
    const stdin = Object.assign(Readable.from(answer === undefined ? [] : [`${answer}\n`]), {
      isTTY: answer !== undefined,
    });
    return runHere(args, {
      env: { ...env, ...given },
      stdin,
      serve: async (config, { json }) => {
        served.push({ config, json });
      },
      // An exit code that no other command has, so that it can be recognized.
      runSandbox: async (request) => {
        sandboxes.push(request);
        return 42;
      },
    });
  };

  return {
    dataDir,
    served,
    sandboxes,
    run,
    /** Runs a command with --json and returns the document, which has to be the whole standard output. */
    async json(...args: string[]): Promise<{ exitCode: number; document: Record<string, unknown> }> {
      const { exitCode, stdout, stderr } = await run([...args, '--json']);
      if (stderr !== '') throw new Error(`--json wrote on standard error: ${stderr}`);
      // JSON.parse throws unless exactly one document was printed; documents are objects.
      return { exitCode, document: JSON.parse(stdout) as Record<string, unknown> };
    },
    close: () => rm(dataDir, { recursive: true, force: true }),
  };
}

/** Registers an application. */
export const CREATE = [
  'client',
  'create',
  '--name',
  'My app',
  '--redirect-uri',
  'https://app.example/callback',
];

/** The settings in documents of an application without settings, about how users connect. */
export const NO_SETTINGS = {
  returning_users: 'prove',
  providers: null,
  profile: 'default',
  pushed_requests: 'accepted',
  pkce: 'accepted',
  code_format: 'user-id',
  code_lifetime: 600,
  issuer_in_callback: 'off',
  refresh_rotation: 'always',
  refresh_reuse: 'refuse',
  refresh_replay_window: 0,
  refresh_idle_lifetime: 0,
  refresh_lifetime: 0,
  sender_constraint: 'off',
  dpop_nonce: 'off',
  client_authentication: 'secret',
  revocation: 'open',
  resource_indicators: 'off',
};

/** The branding in documents of an application without branding. */
export const NO_LOOK = {
  branding: {
    enabled: true,
    logo_url: null,
    dark_logo_url: null,
    primary_color: null,
    theme: 'auto',
    hide_footer: false,
  },
  application_url: null,
  support_email: null,
  support_url: null,
  privacy_url: null,
  terms_url: null,
  verified: false,
  verified_at: null,
  review_status: 'not_submitted',
};
