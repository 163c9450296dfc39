/**
 * The check that comes before everything else: on an older Node the program's own modules do not even
 * load. JavaScript that imports nothing, in syntax every Node with ES modules can read.
 */

const LEAST_MAJOR = 26;
const LEAST_MINOR = 1;

/** Described in node-version.d.ts. */
export function nodeVersionProblem(version, { checkout = false } = {}) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST_MAJOR || (major === LEAST_MAJOR && minor >= LEAST_MINOR)) return undefined;
  const least = `${LEAST_MAJOR}.${LEAST_MINOR}`;
  return checkout
    ? `Kalends needs Node.js ${least} or newer, and this is ${version}: run "npm ci --include=dev", which brings it, ` +
        `or install Node.js ${LEAST_MAJOR} (https://nodejs.org/), and start it again.`
    : `Kalends needs Node.js ${least} or newer, and this is ${version}: ` +
        `install Node.js ${LEAST_MAJOR} (https://nodejs.org/) and start it again.`;
}
