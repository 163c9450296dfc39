/** Resources that are over the budget (docs/security.md T13). */

/** Whether reading a resource failed since it is over its budget; the message says of what, going on from "it". */
export const isTooComplex = (failure: unknown): failure is Error =>
  failure instanceof Error && failure.name === 'TooComplexError';
