/**
 * Which sandboxes run on this machine as this user, so that a command that is meant for one does not silently go elsewhere.
 * Each has a note in the folder for temporary files; what it says is shown, never followed.
 */
import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type RunningSandbox = {
  /** Kalends' data folder. */
  readonly dataDir: string;
  /** Kalends' origin. */
  readonly url: string;
};

const userId = (): number => process.getuid?.() ?? 0;
const PREFIX = 'kalends-sandbox-note';
const MOST_BYTES = 4096;

/** Writes the note of this process; the answer removes it. */
export function noteSandbox(sandbox: RunningSandbox): () => void {
  const file = path.join(tmpdir(), `${PREFIX}-${userId()}-${process.pid}.json`);
  // One that a process of the same number left behind, killed before it could remove it.
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify(sandbox), { mode: 0o600, flag: 'wx' });
  return () => rmSync(file, { force: true });
}

/** Those whose process lives. */
export function runningSandboxes(): RunningSandbox[] {
  const form = new RegExp(`^${PREFIX}-${userId()}-(\\d{1,10})\\.json$`);
  return readdirSync(tmpdir()).flatMap((name) => {
    const [, pid] = form.exec(name) ?? [];
    return pid === undefined || !isAlive(Number(pid)) ? [] : noteIn(path.join(tmpdir(), name));
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // It has ended, or is somebody else's.
    return false;
  }
}

/** Anybody can put files there: only one of this user's own is read. */
function noteIn(file: string): RunningSandbox[] {
  const status = lstatSync(file, { throwIfNoEntry: false });
  if (!status?.isFile() || status.uid !== userId() || status.size > MOST_BYTES) return [];
  try {
    const note: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof note !== 'object' || note === null || !('dataDir' in note) || !('url' in note)) return [];
    return [{ dataDir: String(note.dataDir), url: String(note.url) }];
  } catch {
    // Just being written, or just gone.
    return [];
  }
}

/** For a command that goes to the usual data folder while sandboxes run: where they are. */
export function elsewhereNotice(dataDir: string, sandboxes: readonly RunningSandbox[]): string | undefined {
  const others = sandboxes.filter((sandbox) => path.resolve(sandbox.dataDir) !== path.resolve(dataDir));
  if (others.length === 0) return undefined;
  const ways = others.map((other) => `  KALENDS_DATA_DIR=${quoted(other.dataDir)} KALENDS_URL=${other.url}`);
  return [
    `A sandbox is running, and this goes to ${dataDir} instead. To reach the sandbox, put before the command:`,
    ...ways,
  ].join('\n');
}

/** As one word of a POSIX shell. */
const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
