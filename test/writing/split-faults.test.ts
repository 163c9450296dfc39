/** The n-th write of a split fails, at the providers of the sandbox. `npm run soak` plays all faults and all kinds of series. */
import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { scale } from '../harness/rounds.ts';
import { ALL_FAULTS, FULL, splitFaults, type Variant } from './split-faults.ts';
import { sandboxFaults } from './split-faults-sites.ts';

const KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'apple', 'caldav'];
const MEMBERS = ['guests', 'exceptions', 'conferences', 'room'] as const;

/** Every set of what a series can have. A room is a guest. */
const EVERY: readonly Variant[] = Array.from({ length: 16 }, (_, bits): Variant => {
  const names = MEMBERS.filter((_name, index) => (bits >> index) % 2 === 1);
  return { name: names.join(', ') || 'nothing', ...Object.fromEntries(names.map((name) => [name, true])) };
}).filter(({ room, guests }) => room === undefined || guests === true);

const isSoak = scale() >= 20;

for (const kind of KINDS)
  splitFaults({
    name: kind,
    open: () => sandboxFaults(kind),
    variants: isSoak ? EVERY : [FULL],
    faults: isSoak ? ALL_FAULTS : [400, 'response lost', 'ended after'],
  });
