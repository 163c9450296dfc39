/** The documents and sources that the checks read. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { TextFile } from './docs-rules.ts';

export const ROOT = path.resolve(import.meta.dirname, '..');
export const DOCUMENTS = ['*.md', 'docs/**/*.{md,json}', 'packages/*/*.md', 'examples/*/*.md'];
export const SOURCES = '{src,sandbox,packages,test,scripts,bench}/**/*.{ts,js,css,sql}';

/** Returns the files that match `patterns`, sorted by path, without installed and built ones. */
export function listFiles(patterns: string | readonly string[]): TextFile[] {
  return globSync(patterns, { cwd: ROOT, exclude: (name) => /(^|\/)(node_modules|dist|\.next)$/.test(name) })
    .sort()
    .map((name) => ({
      path: name.replaceAll(path.sep, '/'),
      text: readFileSync(path.join(ROOT, name), 'utf8'),
    }));
}
