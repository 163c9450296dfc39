/** Logos on an installation without the optional package `sharp`: the sources beside all other packages. */
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

describe('without sharp', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-without-sharp-'));
    await mkdir(path.join(folder, 'node_modules'));
    const packages = (await readdir(path.join(ROOT, 'node_modules'))).filter((name) => name !== 'sharp');
    for (const name of packages)
      await symlink(path.join(ROOT, 'node_modules', name), path.join(folder, 'node_modules', name));
    await cp(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'));
    await cp(path.join(ROOT, 'src'), path.join(folder, 'src'), { recursive: true });
  });
  after(() => rm(folder, { recursive: true }));

  it('a logo is refused with pictures_unavailable, which says what to install', async () => {
    const { logoImage } = await import(pathToFileURL(path.join(folder, 'src/branding/logo-image.ts')).href);

    await assert.rejects(logoImage(PNG, 'logo'), (refusal: { status: number; body: { code: string } }) => {
      assert.deepEqual([refusal.status, refusal.body.code], [422, 'pictures_unavailable']);
      return /optional package sharp is not installed/.test(String(refusal));
    });
  });
});
