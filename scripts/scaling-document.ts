/** The table of loads in docs/scaling.md, calculated from docs/unit-costs.json, which `npm run bench -- --only costs` writes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { UnitCosts } from '../bench/rows/costs-row.ts';
import { OPERATION, STORAGE } from '../src/config/server-options.ts';

const COSTS: UnitCosts = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../docs/unit-costs.json'), 'utf8'),
);

const DAY_S = 86_400;
/** The load of one account, per day. */
const OF_ACCOUNT = { tokenCalls: 24, deliveries: 10, events: 200 };
const DELIVERIES_KEPT_DAYS = 30;
/** Looks of a day, and the calls that the provider counts for them (docs/sizing.md). */
const KINDS = {
  watched: { looks: 2.7 + OF_ACCOUNT.deliveries, calls: 10.8 },
  CalDAV: { looks: 96, calls: 144 },
};
const SECONDS_OF_LOOK = 0.3;
/** The share of a core that is planned. */
const USED = 0.6;
const GOOGLE_CALLS = 1_000_000;
const ACCOUNTS_OF_CELL = 10_000_000;
const MEASURED = 1_000_000;

const HEAD =
  '| Accounts | Kind | Looks a second | Instances | PostgreSQL cores | Connections | Disk | Provider calls a day | Google apps | Cells |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n';

const number = (value: number): string =>
  value >= 1e9
    ? `${amount(value / 1e9)} billion`
    : value >= 1e6
      ? `${amount(value / 1e6)} million`
      : amount(value);
const amount = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
const size = (bytes: number): string =>
  bytes >= 1e15
    ? `${amount(bytes / 1e15)} PB`
    : bytes >= 1e12
      ? `${amount(bytes / 1e12)} TB`
      : `${amount(bytes / 1e9)} GB`;

function renderRow(accounts: number, kind: keyof typeof KINDS): string {
  const { looks, calls } = KINDS[kind];
  const rates = {
    tokenCall: (accounts * OF_ACCOUNT.tokenCalls) / DAY_S,
    delivery: (accounts * OF_ACCOUNT.deliveries) / DAY_S,
    look: (accounts * looks) / DAY_S,
  };
  const cores = (place: 'instance' | 'database') =>
    (['tokenCall', 'delivery', 'look'] as const).reduce(
      (sum, work) => sum + (rates[work] * COSTS.microseconds[work][place]) / 1e6,
      0,
    ) / USED;
  const slots = Number(OPERATION.syncSlots.default) / SECONDS_OF_LOOK;
  const instances = Math.max(1, Math.ceil(Math.max(cores('instance'), rates.look / slots)));
  const { user, event, delivery } = COSTS.bytes;
  const ofAccount =
    user + OF_ACCOUNT.events * event + OF_ACCOUNT.deliveries * DELIVERIES_KEPT_DAYS * delivery;
  const cells = [
    `${number(accounts)}${accounts > MEASURED ? ' (calculated)' : ''}`,
    kind,
    amount(rates.look),
    number(instances),
    number(Math.max(1, Math.ceil(cores('database')))),
    number(instances * Number(STORAGE.databaseConnections.default)),
    size(accounts * ofAccount),
    number(accounts * calls),
    kind === 'watched' ? number(Math.ceil((accounts * calls) / GOOGLE_CALLS)) : '–',
    number(Math.ceil(accounts / ACCOUNTS_OF_CELL)),
  ];
  return `| ${cells.join(' | ')} |\n`;
}

/** Returns the page with a current table. Throws if the page has none. */
export function scalingDocument(page: string): string {
  const [before, after] = page.split(HEAD);
  if (before === undefined || after === undefined) throw new Error('docs/scaling.md has no table of loads');
  const sizes = [1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
  const rows = sizes.flatMap((accounts) => [renderRow(accounts, 'watched'), renderRow(accounts, 'CalDAV')]);
  return before + HEAD + rows.join('') + after.slice(after.search(/^$/m));
}
