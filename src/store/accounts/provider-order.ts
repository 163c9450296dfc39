import { PROVIDER_KINDS } from '../../calendars/provider-facts.ts';

/** Returns SQL that sorts accounts in the order of PROVIDER_KINDS. `column` has the kind. */
export const providerOrder = (column: string): string =>
  `CASE ${column} ${PROVIDER_KINDS.map((kind, i) => `WHEN '${kind}' THEN ${i}`).join(' ')} END`;
