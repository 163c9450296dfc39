/** Checks and changes of a release, on this repository's own texts. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { before, describe, it } from 'node:test';

import {
  publishProblems,
  type ReleaseTexts,
  unreleased,
  versionOf,
  versionProblem,
  withVersion,
} from '../../scripts/release-rules.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILES = ['package.json', 'package-lock.json', 'packages/client/package.json'];

describe('a release', () => {
  let texts: ReleaseTexts;
  before(async () => {
    const read = (file: string) => readFile(path.join(ROOT, file), 'utf8');
    const packages = await Promise.all(FILES.map(async (file) => [file, await read(file)] as const));
    texts = { changelog: await read('CHANGELOG.md'), packages: Object.fromEntries(packages) };
  });

  it('a release gives every package the version, and what is unreleased a heading with the day', () => {
    const next = withVersion(texts, '7.1.0', '2026-11-24');

    for (const [file, text] of Object.entries(next.packages)) {
      const { version, packages } = JSON.parse(text);
      assert.equal(version, '7.1.0', file);
      if (packages !== undefined) assert.equal(packages[''].version, '7.1.0');
    }
    assert.equal(unreleased(next.changelog), '');
    assert.ok(next.changelog.includes('\n## Unreleased\n\n## 7.1.0 (2026-11-24)\n'));
    assert.ok(next.changelog.endsWith(texts.changelog.slice(-1_000)));
    assert.deepEqual(publishProblems(next), []);
  });

  it('a release is of three numbers, higher than the last one, and made once', () => {
    assert.equal(versionProblem('0.1.0', '0.1.0', false), undefined);
    assert.equal(versionProblem('1.0.0', '0.9.12', false), undefined);
    assert.match(versionProblem('0.1.0', '0.1.0', true) ?? '', /released already/);
    assert.match(versionProblem('0.9.0', '0.10.0', false) ?? '', /older than 0\.10\.0/);
    for (const wrong of ['', 'v1.0.0', '1.0', '1.0.0-beta', '01.0.0', '1.0.0\n'])
      assert.match(versionProblem(wrong, '0.1.0', false) ?? '', /is no version/, wrong);
  });

  it('nothing is published that the changelog lacks, or whose packages are of two versions', () => {
    const version = versionOf(texts);
    const [client = ''] = FILES.slice(2);
    const apart = { ...texts.packages, [client]: '{"version": "9.9.9"}' };

    assert.match(publishProblems({ ...texts, changelog: '## Unreleased\n' }).join(), /no section "## /);
    assert.deepEqual(publishProblems({ changelog: `\n## ${version} (today)\n`, packages: apart }), [
      `${client} has version 9.9.9, and package.json ${version}.`,
    ]);
  });

  it('the dependencies of both packages are in the lock file, which has the package’s own fields', () => {
    const { version, engines, bin } = JSON.parse(texts.packages['package.json'] ?? '');
    const { packages } = JSON.parse(texts.packages['package-lock.json'] ?? '');

    assert.deepEqual([packages[''].version, packages[''].engines, packages[''].bin], [version, engines, bin]);
  });
});
