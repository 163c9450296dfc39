/** How a transaction on PostgreSQL begins: with its settings, in one round trip. */
import type { TransactionTerms } from './database.ts';

/** A plan that is kept must be right for an empty table and for a large one. */
const PLAN_ONCE = [
  'plan_cache_mode TO force_generic_plan',
  'enable_seqscan TO off',
  'enable_hashjoin TO off',
  'enable_mergejoin TO off',
];

/** The text that begins a transaction on these terms. */
export function beginText({ flush, plan }: Partial<TransactionTerms> = {}): string {
  const settings = [
    ...(flush === 'later' ? ['synchronous_commit TO off'] : []),
    ...(plan === 'once' ? PLAN_ONCE : []),
  ];
  return ['BEGIN', ...settings.map((setting) => `SET LOCAL ${setting}`)].join('; ');
}
