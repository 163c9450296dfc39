/** The configuration that docs/operations.md shows, as somebody copies it out of the page. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** The first block behind `before` (a line of the page), which is of this language; '' is a block without one. */
export async function blockAfter(before: string, language: string): Promise<string> {
  const page = await readFile(path.join(ROOT, 'docs/operations.md'), 'utf8');
  const at = page.indexOf(`\n${before}\n`);
  assert.ok(at >= 0, `docs/operations.md has no line "${before}"`);
  const [, block] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(page.slice(at)) ?? [];
  assert.ok(block, `no block of ${language} follows "${before}"`);
  return block;
}

/** The HAProxy configuration of the page, which listens at `url` and balances instances at these ports of 127.0.0.1. */
export async function haproxyConfiguration(url: string, ports: readonly number[]): Promise<string> {
  const block = await blockAfter('HAProxy:', 'haproxy');
  return block
    .replace('bind :443 ssl crt /etc/ssl/calendars.pem', `bind ${new URL(url).host}`)
    .replace('10.0.0.11:8080', `127.0.0.1:${ports[0]}`)
    .replace('10.0.0.12:8080', `127.0.0.1:${ports[1]}`);
}
