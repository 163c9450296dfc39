/**
 * The check that comes before everything else: on an older Node the program's own modules do not even
 * load. This file imports nothing and is written in syntax every Node with ES modules can read.
 */

const LEAST_MAJOR = 26;

/** Why `version` (such as `20.11.1`) is refused; `undefined` when it is new enough. */
export function nodeVersionProblem(version: string): string | undefined {
  if (Number.parseInt(version, 10) >= LEAST_MAJOR) return undefined;
  return (
    `Kalends needs Node.js ${LEAST_MAJOR} or newer, and this is ${version}: ` +
    `install Node.js ${LEAST_MAJOR} (https://nodejs.org/) and start it again.`
  );
}
