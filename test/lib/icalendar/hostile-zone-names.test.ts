/** Names of time zones that somebody made to be slow to look up. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { resolveZone } from '../../../src/lib/icalendar/zone-resolver.ts';
import { takesUnder } from '../../harness/processor-time.ts';

const LONGEST = 500;

/** From the start on, a piece as often as it fits, and the end. */
const filled = (start: string, piece: string, end: string): string =>
  `${start}${piece.repeat(LONGEST)}`.slice(0, LONGEST - end.length) + end;

const NAMES: Readonly<Record<string, string>> = {
  'a bracket and blanks': filled('(', ' ', 'x'),
  'an offset and blanks': filled('(UTC', ' ', 'x'),
  'an offset with hours and blanks': filled('(UTC+01:00', ' ', 'x'),
  'blanks and letters': filled('x', ' ', 'x'),
  'tabs and line ends': filled('(', '\t\n', 'x'),
  'brackets before a line end': filled('', '(', '\nx'),
  'blanks and brackets before a line end': filled('', ' (', '\nx'),
  'semicolons before a line end': filled('', ';', '\nx'),
  'places in brackets before line ends': filled('', `${'('.repeat(24)},`, '\nx'),
  'line ends': filled('(', '\n', 'x'),
  digits: filled('UTC+', '1', 'x'),
  'numbers with blanks': filled('x', ' 1', 'x'),
  slashes: filled('', '/', 'x'),
  'a path of long names': filled('', 'a/', 'x'),
  'a path that ends in brackets': filled('/a/b/', '(', '\nx'),
  'what Windows writes behind names': filled('x', ' standard time', ' x'),
  'islands without end': filled('x', ' island', '\n'),
  commas: filled('', ',', 'x'),
  'one letter': filled('', 'x', 'x'),
};

describe('a name that is made to be slow', () => {
  for (const [what, name] of Object.entries(NAMES))
    it(`is looked up 200 times within 100 ms if it consists of ${what}`, () => {
      const lookups = () => {
        for (let count = 0; count < 200; count += 1) resolveZone(name, undefined);
      };

      assert.ok(takesUnder(100, lookups));
    });
});
