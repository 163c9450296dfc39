/**
 * The check that comes before everything else: on an older Node the program's own modules do not even
 * load. This file imports nothing and is written in syntax every Node with ES modules can read.
 */

const LEAST_MAJOR = 26;
const LEAST_MINOR = 1;

/** Why `version` (such as `20.11.1`) is refused; `undefined` when it is new enough. */
export function nodeVersionProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST_MAJOR || (major === LEAST_MAJOR && minor >= LEAST_MINOR)) return undefined;
  return (
    `Kalends needs Node.js ${LEAST_MAJOR}.${LEAST_MINOR} or newer, and this is ${version}: ` +
    `install Node.js ${LEAST_MAJOR} (https://nodejs.org/) and start it again.`
  );
}
