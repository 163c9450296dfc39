/** `npm run icons`: writes the paths of the octicons that the pages use into src/design/icons.ts. */
import './needs-node.js';

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const NAMES = `alert-fill apps calendar check-circle-fill chevron-down chevron-right circle-slash clock copy
  device-desktop dot-fill filter history home info kebab-horizontal key link link-external log moon organization pause
  people person plug plus rss search server sign-out sun sync terminal trash webhook x x-circle-fill`.split(
  /\s+/,
);

/** Returns the path with an absolute start and two decimals, which 16 pixels need at most. */
const toPath = (d: string): string =>
  d.replace(/^m/, 'M0 0m').replace(/\d*\.\d{3,}/g, (number, at: number, all: string) => {
    const short = String(Number(Number(number).toFixed(2))).replace(/^0\./, '.');
    // A number that begins with a digit does not end the one before it.
    return /\d$/.test(all.slice(0, at)) && /^\d/.test(short) ? ` ${short}` : short;
  });

const folder = path.dirname(createRequire(import.meta.url).resolve('@primer/octicons/package.json'));
const rows = NAMES.map((name) => {
  const svg = readFileSync(path.join(folder, 'build/svg', `${name}-16.svg`), 'utf8');
  const paths = [...svg.matchAll(/ d="([^"]+)"/g)].map(([, d]) => d);
  return `  '${name}': '${paths.map((d) => toPath(d ?? '')).join('')}',`;
});
const text = `/** The paths of octicons (MIT, GitHub) at 16 pixels. Written by \`npm run icons\`: do not edit. */
export const ICON_PATHS = {
${rows.join('\n')}
} as const;
`;
writeFileSync(path.resolve(import.meta.dirname, '../src/design/icons.ts'), text);
