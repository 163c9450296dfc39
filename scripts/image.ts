/**
 * Builds the Dockerfile's image in a plain folder, by its own steps and without a container engine, and reports how
 * much the image adds to its base:
 *
 *   npm run image [-- FOLDER]
 *
 * No step may use a path outside its WORKDIR, because that would be on this machine.
 */
import './needs-node.js';

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { constants, createGzip } from 'node:zlib';

import { type Instruction, parseDockerfile, type Stage } from './dockerfile.ts';
import { LIMITS } from './limits.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
/** The names that .dockerignore excludes from the copied folders. */
const LEFT_OUT = new Set(['node_modules', 'dist']);

export type BuildOptions = {
  /** The folder for the stages, each in a separate folder. */
  readonly folder: string;
  /** Whether the result of `npm ci` on this machine replaces that step if it installs the packages for development. */
  readonly borrowsPackages?: boolean;
};

export type Image = {
  /** The last stage's root: the files that it adds to its base. */
  readonly root: string;
  readonly stage: Stage;
};

export function buildImage({ folder, borrowsPackages = false }: BuildOptions): Image {
  const stages = parseDockerfile(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8'));
  const roots = new Map<string, string>();
  let last: Image | undefined;
  for (const [at, stage] of stages.entries()) {
    const root = path.join(folder, stage.name ?? `stage-${at}`);
    const base = roots.get(stage.base);
    mkdirSync(root, { recursive: true });
    if (base !== undefined) {
      const isCopied = (file: string) => !borrowsPackages || path.basename(file) !== 'node_modules';
      cpSync(base, root, { recursive: true, verbatimSymlinks: true, filter: isCopied });
    }
    let workdir = base === undefined ? root : path.join(root, 'app');
    for (const instruction of stage.instructions) {
      if (instruction.name === 'WORKDIR') workdir = path.join(root, instruction.text);
      mkdirSync(workdir, { recursive: true });
      if (instruction.name === 'COPY') copy(instruction, { root, workdir, roots });
      if (instruction.name === 'RUN') run(instruction.text, workdir, borrowsPackages);
    }
    roots.set(stage.name ?? String(at), root);
    last = { root, stage };
  }
  if (last === undefined) throw new Error('The Dockerfile has no stage');
  return last;
}

/** Returns the size of the folder as a compressed layer, in bytes. */
export async function compressedSize(root: string): Promise<number> {
  const tar = spawn('tar', ['-C', root, '-cf', '-', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let bytes = 0;
  for await (const chunk of tar.stdout.pipe(createGzip({ level: constants.Z_DEFAULT_COMPRESSION })))
    bytes += chunk.length;
  return bytes;
}

type Place = {
  readonly root: string;
  readonly workdir: string;
  readonly roots: ReadonlyMap<string, string>;
};

function copy({ text, flags, line }: Instruction, { root, workdir, roots }: Place): void {
  const paths = text.split(/\s+/);
  const target = paths.pop() ?? '';
  const from = flags.from === undefined ? ROOT : roots.get(flags.from);
  if (from === undefined) throw new Error(`Line ${line}: there is no stage ${flags.from}`);
  const to = target.startsWith('/') ? path.join(root, target) : path.join(workdir, target);
  for (const word of paths) {
    const source = path.join(from, word);
    const into = target.endsWith('/') && !isFolder(source) ? path.join(to, path.basename(word)) : to;
    cpSync(source, into, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => flags.from !== undefined || !LEFT_OUT.has(path.basename(file)),
    });
  }
}

function run(command: string, workdir: string, borrowsPackages: boolean): void {
  if (borrowsPackages && command.startsWith('npm ci ') && !command.includes('--omit=dev')) {
    rmSync(path.join(workdir, 'node_modules'), { recursive: true, force: true });
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(workdir, 'node_modules'));
    return;
  }
  // The Node that runs this stands for the base image's.
  const PATH = `${path.dirname(process.execPath)}:${process.env.PATH}`;
  execFileSync('/bin/sh', ['-c', command], { cwd: workdir, env: { ...process.env, PATH }, stdio: 'pipe' });
}

const isFolder = (file: string): boolean => statSync(file).isDirectory();

if (import.meta.main) {
  const [folder = mkdtempSync(path.join(tmpdir(), 'kalends-image-'))] = process.argv.slice(2);
  const { root } = buildImage({ folder: path.resolve(folder) });
  const bytes = await compressedSize(root);
  console.log(`${root}\n${(bytes / 1e6).toFixed(1)} MB compressed, of at most ${LIMITS.imageBytes / 1e6}`);
  process.exitCode = bytes <= LIMITS.imageBytes ? 0 : 1;
}
