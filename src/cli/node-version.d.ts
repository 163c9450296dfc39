/**
 * Why `version` (such as `20.11.1`) is refused; `undefined` when it is new enough. In a checkout the sentence
 * also says how npm brings the right one.
 */
export declare function nodeVersionProblem(
  version: string,
  options?: { readonly checkout?: boolean },
): string | undefined;
