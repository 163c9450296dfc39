/** Tests the limits of biome.json: Biome lints small trees that each exceed one of them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const BIOME = path.join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
/** The limits of functions, of sources and of tests, in lines. */
const [FUNCTION = 0, FILE = 0, TEST = 0] = [
  ...readFileSync(path.join(ROOT, 'biome.json'), 'utf8').matchAll(/"maxLines": (\d+)/g),
].map(([, lines]) => Number(lines));
const callTimes = (count: number) => 'a();\n'.repeat(count);

describe('the limits of biome.json', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-limits-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Returns the names of the broken limits, each with its file. */
  async function lint(files: Readonly<Record<string, string>>): Promise<string[]> {
    const root = await mkdtemp(path.join(folder, 'tree-'));
    for (const name of ['biome.json', '.gitignore'])
      await copyFile(path.join(ROOT, name), path.join(root, name));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(root, name)), { recursive: true });
      await writeFile(path.join(root, name), text);
    }
    const args = [BIOME, 'lint', '--reporter=github', '.'];
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, args, { cwd: root }, (_, stdout, stderr) => resolve(stdout + stderr));
    });
    const rules = /title=lint\/\w+\/(useMaxParams|noExcessiveLines\w+|noImportCycles),file=([^,]+)/g;
    return [...output.matchAll(rules)]
      .map(([, rule, file = '']) => `${path.relative(root, file)} ${rule}`)
      .sort();
  }

  it('allows files, tests and functions of the maximum length, and three parameters', async () => {
    const problems = await lint({
      'src/a.ts': callTimes(FILE),
      'src/b.ts': `export function b(c, d, e) {\n${callTimes(FUNCTION - 2)}}\n`,
      'src/c.test.ts': callTimes(TEST),
      'test/d.ts': 'export const d = (a, b, c, d) => a;\n',
    });

    assert.deepEqual(problems, []);
  });

  it('refuses longer files, tests and functions, and a fourth parameter', async () => {
    const problems = await lint({
      'src/a.ts': callTimes(FILE + 1),
      'src/b.ts': `export function b() {\n${callTimes(FUNCTION + 1)}}\n`,
      'src/c.test.ts': callTimes(TEST + 1),
      'sandbox/d.ts': 'export const d = (a, b, c, d) => a;\n',
    });

    assert.deepEqual(problems, [
      'sandbox/d.ts useMaxParams',
      'src/a.ts noExcessiveLinesPerFile',
      'src/b.ts noExcessiveLinesPerFunction',
      'src/c.test.ts noExcessiveLinesPerFile',
    ]);
  });

  it('refuses cycles of imports, also of types', async () => {
    const problems = await lint({
      'src/a.ts': "import { b } from './b.ts';\n",
      'src/b.ts': "export { c } from './c.ts';\n",
      'src/c.ts': "import { a } from './a.ts';\n",
      'sandbox/d.ts': "import type { E } from './e.ts';\n",
      'sandbox/e.ts': "import { type D } from './d.ts';\n",
    });

    assert.deepEqual(
      problems,
      ['sandbox/d.ts', 'sandbox/e.ts', 'src/a.ts', 'src/b.ts', 'src/c.ts'].map(
        (file) => `${file} noImportCycles`,
      ),
    );
  });
});
