/** The cost of the request log: the same servers with it, as they are shipped, and without it. */
import type { LoadRow, RowContext } from '../row.ts';
import { BEARER_PROGRAM } from './token-rows.ts';
import { getWith, kalends, presenting, refreshing } from './token-subjects.ts';

const REFRESH = 'refresh, with the log';
const REFRESH_WITHOUT = 'refresh, without it';
const BEARER = 'Bearer check, with the log';
const BEARER_WITHOUT = 'Bearer check, without it';
const OFF = { env: { KALENDS_REQUEST_LOG: 'off' } };

export const requestLogRow: LoadRow = {
  name: 'request-log',
  title: 'What the request log costs',
  comparisons: [
    { ours: REFRESH, theirs: REFRESH_WITHOUT, unit: '%', required: 0.97, outFor: 0.99 },
    { ours: BEARER, theirs: BEARER_WITHOUT, unit: '%', required: 0.97, outFor: 0.99 },
  ],
  async subjects(context) {
    return [
      await refreshing(context, REFRESH, await kalends(context)),
      await refreshing(context, REFRESH_WITHOUT, await kalends(context, OFF)),
      await bearer(context, BEARER, {}),
      await bearer(context, BEARER_WITHOUT, OFF),
    ];
  },
};

async function bearer(context: RowContext, name: string, options: { env?: Record<string, string> }) {
  const server = await kalends(context, { program: BEARER_PROGRAM, ...options });
  return presenting(context, { name, server }, getWith('/protected'));
}
