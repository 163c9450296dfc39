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

/** The axis of each number of a command (SVG 2 §9.3). The radii and flags of an arc have none. */
const AXES = { m: 'xy', l: 'xy', h: 'x', v: 'y', c: 'xyxyxy', a: '-----xy', z: '' };

const rounded = (number: number): number => Math.round(number * 10) / 10;

type Pen = Readonly<Record<string, number>>;

/** Returns the path with relative numbers of one decimal, which 16 pixels need at most. Errors do not add up. */
function toPath(d: string): string {
  let pen: Pen = {};
  let start: Pen = {};
  const commands = Array.from(d.matchAll(/([a-z])([^a-z]*)/gi), ([, letter = '', text = '']) => {
    const command = letter.toLowerCase() as keyof typeof AXES; // octicons have no others
    const numbers = (text.match(/-?(?:\d*\.\d+|\d+)/g) ?? []).map(Number);
    const axes = AXES[command];
    const repeated = Array.from({ length: numbers.length / axes.length || 1 }, (_, index) => {
      const from = pen;
      const given = numbers.slice(index * axes.length, (index + 1) * axes.length);
      const points = given.map((number, place) => {
        const axis = axes[place] ?? '-';
        const at = axis === '-' || letter !== command ? number : number + (from[axis] ?? 0);
        if (axis !== '-') pen = { ...pen, [axis]: at };
        return axis === '-' ? rounded(at) : rounded(rounded(at) - rounded(from[axis] ?? 0));
      });
      if (command === 'm' && index === 0) start = pen;
      // Further points of a move are lines.
      return (command === 'm' && index > 0 ? 'l' : command) + joinNumbers(points);
    });
    if (command === 'z') pen = start;
    return repeated.join('');
  });
  return commands.join('').replace(/^m/, 'M');
}

/** Joins numbers without spaces where the next one cannot belong to the one before. */
const joinNumbers = (numbers: readonly number[]): string =>
  numbers.reduce((text, number) => {
    const next = String(number).replace(/^(-?)0\./, '$1.');
    const needsSpace = text !== '' && !next.startsWith('-') && !(next.startsWith('.') && /\.\d+$/.test(text));
    return text + (needsSpace ? ' ' : '') + next;
  }, '');

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
