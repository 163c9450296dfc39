/** Conditions that exclude the turns of places that are full. */
import type { SlotPlace } from '../../lib/fair-slots/slot-counts.ts';
import type { Dialect } from '../drivers/database.ts';

/** Up to this many names are compared one by one: in SQLite, three times as fast as a lookup in a list. */
const FEW_NAMES = 8;
const NAMES = ['clientId', 'owner', 'host'] as const;
/** Combinations of names that can be full, with their columns. An application can have the most turns and is first. */
const LEVELS = {
  clientId: 'client_id',
  host: 'host',
  'clientId host': "client_id || ' ' || host",
  owner: 'owner',
  'owner host': "owner || ' ' || host",
};

/** Returns conditions that exclude the turns of full places. There are few texts, so that each is prepared once. */
export function butNot(full: readonly SlotPlace[], { oneOf }: Dialect) {
  const texts: string[] = [];
  const values: Record<string, string | readonly string[]> = {};
  for (const [index, [level, columns]] of Object.entries(LEVELS).entries()) {
    const places = full.filter((place) => NAMES.filter((name) => place[name] !== '').join(' ') === level);
    const names = [...new Set(places.map((place) => NAMES.flatMap((name) => place[name] || []).join(' ')))];
    const [first] = names;
    if (first === undefined) continue;
    if (names.length > FEW_NAMES) {
      texts.push(`AND NOT (${columns} ${oneOf(`full${index}`)})`);
      values[`full${index}`] = names;
      continue;
    }
    for (let number = 0; number < FEW_NAMES; number += 1) {
      texts.push(`AND ${columns} <> :full${index}n${number}`);
      values[`full${index}n${number}`] = names[number] ?? first;
    }
  }
  return { text: texts.join(' '), values };
}
