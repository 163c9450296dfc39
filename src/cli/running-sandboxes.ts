/**
 * Finds the sandboxes that this user runs on this machine, so that a command can warn that it uses other data. Each sandbox
 * writes a note into the folder for temporary files. The content of a note is only printed, never used.
 */
import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type RunningSandbox = {
  readonly dataDir: string;
  readonly url: string;
};

const userId = (): number => process.getuid?.() ?? 0;
const PREFIX = 'kalends-sandbox-note';
const MOST_BYTES = 4096;

/** Writes the note of this process. Returns a function that removes it. */
export function noteSandbox(sandbox: RunningSandbox): () => void {
  const file = path.join(tmpdir(), `${PREFIX}-${userId()}-${process.pid}.json`);
  // A killed process with the same number may have left one.
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify(sandbox), { mode: 0o600, flag: 'wx' });
  return () => rmSync(file, { force: true });
}

/** Returns the sandboxes whose process is running. */
export function runningSandboxes(): RunningSandbox[] {
  const form = new RegExp(`^${PREFIX}-${userId()}-(\\d{1,10})\\.json$`);
  return readdirSync(tmpdir()).flatMap((name) => {
    const [, pid] = form.exec(name) ?? [];
    return pid === undefined || !isAlive(Number(pid)) ? [] : readNote(path.join(tmpdir(), name));
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // The process has ended or belongs to another user.
    return false;
  }
}

/** Reads a note. Ignores files of other users, who can write to this folder too. */
function readNote(file: string): RunningSandbox[] {
  const status = lstatSync(file, { throwIfNoEntry: false });
  if (!status?.isFile() || status.uid !== userId() || status.size > MOST_BYTES) return [];
  try {
    const note: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof note !== 'object' || note === null || !('dataDir' in note) || !('url' in note)) return [];
    return [{ dataDir: String(note.dataDir), url: String(note.url) }];
  } catch {
    // The file is being written or was removed.
    return [];
  }
}

/** Returns a notice for a command that uses `dataDir` while sandboxes with other data run. */
export function sandboxNotice(dataDir: string, sandboxes: readonly RunningSandbox[]): string | undefined {
  const others = sandboxes.filter((sandbox) => path.resolve(sandbox.dataDir) !== path.resolve(dataDir));
  if (others.length === 0) return undefined;
  const ways = others.map((other) => `  KALENDS_DATA_DIR=${quoted(other.dataDir)} KALENDS_URL=${other.url}`);
  return [
    `A sandbox is running, but this command uses ${dataDir}. To use the sandbox, write before the command:`,
    ...ways,
  ].join('\n');
}

/** Quotes a word for a POSIX shell. */
const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
