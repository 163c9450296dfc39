/**
 * Reads README.md and types its commands from top to bottom, as a newcomer does:
 *
 *   npm run readme              in a fresh clone, with npm ci, as the current user
 *   npm run readme -- --nobody  as a user without rights, started by root
 *
 * The script does the reader's part: it fills in values and walks through the browser. `npm test` is left out, because
 * it takes long and the gate runs it separately.
 */
import './needs-node.js';

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { authorize } from '../test/e2e/flow.ts';
import { type Background, commandsOf, keep, type StepOptions, type } from './readme-steps.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const NOBODY = 65_534;
const CALENDAR_SERVER = /^radicale /m;

export type ReadmeOptions = StepOptions & {
  /** The addresses of the page, after `change`. */
  readonly base: string;
  readonly calendarServer: string;
  readonly receiverPort: number;
  /** Whether npm ci and the sandbox are among the steps. */
  readonly whole: boolean;
};

/** Resolves with the commands that were typed. Throws at the first that fails. */
export async function runReadme(options: ReadmeOptions): Promise<string[]> {
  const commands = commandsOf(readFileSync(path.join(options.folder, 'README.md'), 'utf8'));
  const running: Background[] = [];
  const receiver = createServer((_, response) => response.end()).listen(options.receiverPort, 'localhost');
  try {
    return await typeAll(commands, options, running);
  } finally {
    receiver.close();
    for (const each of running.reverse()) await each.end('SIGTERM');
  }
}

async function typeAll(commands: readonly string[], options: ReadmeOptions, running: Background[]) {
  const typed: string[] = [];
  const filledIn = new Map<string, string>();
  const variables = () => [...filledIn].map(([name, value]) => `${name}='${value}'\n`).join('');
  const server = commands.find((command) => CALENDAR_SERVER.test(command)) ?? '';
  for (const command of commands) {
    if (CALENDAR_SERVER.test(command) || command.endsWith('npm test')) continue;
    if (command.endsWith('npm run sandbox')) {
      if (!options.whole) continue;
      await (await keep(command, /redirect_uri .*\n/, options)).end('SIGINT');
    } else if (command.endsWith('npm start')) {
      running.push(await keep(command, /is ready at /, options));
    } else if (command.includes(' listen ')) {
      await (await keep(command, /^Listening at /m, { ...options, variables: variables() })).end('SIGINT');
    } else if (command.startsWith('CLIENT_ID=')) {
      filledIn.set('BASE', options.base);
      // The page sends a reader without a calendar server to its end, and back here.
      running.push(await keep(`${server}\necho made\nwait`, /^made$/m, options));
      await walk(filledIn, options);
    } else {
      const output = await type(command.replace(/^[A-Z_]+=eyJ… .*\n/, ''), variables(), options);
      for (const [name, value] of valuesIn(output)) if (!filledIn.has(name)) filledIn.set(name, value);
    }
    typed.push(command);
  }
  return [...typed, server];
}

/** Returns the values that a reader copies out of a response. */
function valuesIn(output: string): [name: string, value: string][] {
  const names = {
    client_id: 'CLIENT_ID',
    client_secret: 'CLIENT_SECRET',
    access_token: 'ACCESS_TOKEN',
    refresh_token: 'REFRESH_TOKEN',
  };
  return Object.entries(names).flatMap(([word, name]) => {
    const [, value] =
      new RegExp(`\\b${word}\\b"?:?\\s+"?([\\w.-]+)|"${word}":"([\\w.-]+)"`)
        .exec(output)
        ?.filter((one) => one !== undefined) ?? [];
    return value === undefined ? [] : [[name, value] as [string, string]];
  });
}

/** Performs step 2 in a browser: connects an account and consents. */
async function walk(
  filledIn: ReadonlyMap<string, string>,
  { base, calendarServer }: ReadmeOptions,
): Promise<void> {
  const [clientId = '', clientSecret = ''] = [filledIn.get('CLIENT_ID'), filledIn.get('CLIENT_SECRET')];
  const login = { server: calendarServer, username: 'ada', password: 'any' };
  const { parameters } = await authorize(
    { url: base, clientId, clientSecret, redirectUri: '' },
    { userId: 'ada', login, parameters: { state: 'xyz', scope: 'read' } },
  );
  if (parameters.get('code') !== 'ada') throw new Error(`The browser ended with ${parameters}`);
}

if (import.meta.main) {
  const folder = mkdtempSync(path.join(tmpdir(), 'kalends-readme-'));
  const isNobody = process.argv.includes('--nobody');
  try {
    execFileSync('git', ['clone', '--quiet', ROOT, folder]);
    if (isNobody) execFileSync('chown', ['--recursive', `${NOBODY}:${NOBODY}`, folder]);
    const typed = await runReadme({
      folder,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, LANG: 'C.UTF-8' },
      identity: isNobody ? { uid: NOBODY, gid: NOBODY } : undefined,
      // If another user created the folder before, it would not be writable.
      change: (command) => command.replaceAll('/tmp/radicale', path.join(folder, 'radicale')),
      base: 'http://127.0.0.1:8080',
      calendarServer: 'http://127.0.0.1:5232',
      receiverPort: 3000,
      whole: true,
    });
    console.log(`${typed.length} commands of the README did what it says.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
