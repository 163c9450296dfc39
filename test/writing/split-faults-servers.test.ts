/** The n-th write of a split fails, at CalDAV servers that others wrote and that invite people themselves. */
import { counterpart } from '../harness/counterpart.ts';
import { scale } from '../harness/rounds.ts';
import { CYRUS, startSchedulingCyrus } from '../servers/cyrus.ts';
import { DAVICAL, startDavical } from '../servers/davical.ts';
import { ALL_FAULTS, splitFaults } from './split-faults.ts';
import { serverFaults } from './split-faults-sites.ts';

const GUESTS = { name: 'guests and conferences', guests: true, conferences: true } as const;
const EXCEPTIONS = { name: 'exceptions', exceptions: true } as const;
const BOTH = { ...GUESTS, ...EXCEPTIONS, name: 'guests, exceptions and conferences' } as const;
const isSoak = scale() >= 20;
const faults = isSoak ? ALL_FAULTS : ([403, 'ended after'] as const);

splitFaults({
  name: 'Cyrus',
  options: counterpart('Cyrus', CYRUS, { root: true }),
  open: () => serverFaults(startSchedulingCyrus),
  variants: isSoak ? [GUESTS, EXCEPTIONS, BOTH] : [BOTH],
  faults,
});

// DAViCal answers 500 when an occurrence of a series with guests is changed.
splitFaults({
  name: 'DAViCal',
  options: counterpart('DAViCal', DAVICAL),
  open: () => serverFaults(startDavical),
  variants: isSoak ? [GUESTS, EXCEPTIONS] : [GUESTS],
  faults,
});
