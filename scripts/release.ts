/**
 * Makes a release, or says why there cannot be one:
 *
 *   npm run release -- 1.2.0   versions, changelog, commit and tag, and both packages in artefacts/; publishes nothing
 *   npm run release -- --check whether what lies here may be published (npm publish asks)
 */
import './needs-node.js';

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import {
  publishProblems,
  type ReleaseTexts,
  unreleased,
  versionOf,
  versionProblem,
  withVersion,
} from './release-rules.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const CHANGELOG = 'CHANGELOG.md';
const PACKAGES = ['package.json', 'package-lock.json', 'packages/client/package.json'];
const ARTEFACTS = path.join(ROOT, 'artefacts');

const [argument = ''] = process.argv.slice(2);
const texts = readTexts();
const problems = argument === '--check' ? publishProblems(texts) : releaseProblems(argument, texts);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else if (argument !== '--check') release(argument, texts);

function releaseProblems(version: string, { changelog, packages }: ReleaseTexts): string[] {
  const isTagged = git('tag', '--list', `v${version}`) !== '';
  const wrong = versionProblem(version, versionOf({ changelog, packages }), isTagged);
  if (wrong !== undefined) return [wrong];
  const failedChecks: string[] = [];
  if (unreleased(changelog) === '') failedChecks.push('CHANGELOG.md has nothing under "## Unreleased".');
  if (git('status', '--porcelain') !== '') failedChecks.push('There are changes that are not committed.');
  if (failedChecks.length === 0 && !npm('run', 'check')) failedChecks.push('The checks do not pass.');
  return failedChecks;
}

function release(version: string, before: ReleaseTexts): void {
  const { changelog, packages } = withVersion(before, version, new Date().toISOString().slice(0, 10));
  for (const [file, text] of Object.entries({ [CHANGELOG]: changelog, ...packages }))
    writeFileSync(path.join(ROOT, file), text);
  git('commit', '--quiet', '--message', `chore: version ${version}`, '--', CHANGELOG, ...PACKAGES);
  git('tag', `v${version}`);
  mkdirSync(ARTEFACTS, { recursive: true });
  for (const folder of ['.', 'packages/client'])
    if (!npm('pack', `./${folder}`, '--pack-destination', ARTEFACTS)) process.exitCode = 1;
  console.log(
    `Version ${version} is tagged v${version}, and packed in artefacts/. Nothing was published or pushed.`,
  );
}

function readTexts(): ReleaseTexts {
  const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
  return {
    changelog: read(CHANGELOG),
    packages: Object.fromEntries(PACKAGES.map((file) => [file, read(file)])),
  };
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

/** Whether it ended well. */
function npm(...args: string[]): boolean {
  return spawnSync('npm', args, { cwd: ROOT, stdio: 'inherit' }).status === 0;
}
