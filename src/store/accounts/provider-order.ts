import { PROVIDER_KINDS } from '../../calendars/provider-facts.ts';

/** What to order by so that accounts come in the order of PROVIDER_KINDS; `column` holds the kind. */
export const providerOrder = (column: string): string =>
  `CASE ${column} ${PROVIDER_KINDS.map((kind, i) => `WHEN '${kind}' THEN ${i}`).join(' ')} END`;
