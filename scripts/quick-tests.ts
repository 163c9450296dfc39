/** The test files of `npm test -- --quick`. */

/** Tests of these take long: they start programs, browsers or PostgreSQL, or repeat chance. */
const SLOW_FOLDERS =
  /^test\/(contract|deploy|e2e|examples|fixtures|generated-clients|hostile|notifications|published-formats|servers|soak)\//;
const SLOW_FILES =
  /(fuzz|radicale|providers|guards|open|instances|crash|logo-image|graceful-close|postgres[\w-]*)\.test\.ts$/;

/**
 * Returns the tests of the features whose files are among `changed`, or one test file of each feature if there are none.
 * A feature is a folder of `src`, with the folder of its name in `test`; `scripts` and `sandbox` count too. `files` are all
 * test files.
 */
export function selectQuickTests(files: readonly string[], changed: readonly string[]): string[] {
  const quick = files.filter((file) => !SLOW_FOLDERS.test(file) && !SLOW_FILES.test(file));
  const byFeature = Map.groupBy(quick, featureOf);
  const features = [...new Set(changed.map(featureOf))].filter((feature) => byFeature.has(feature));
  if (features.length === 0) return [...byFeature.values()].flatMap(([first = '']) => first).sort();
  return features.flatMap((feature) => byFeature.get(feature) ?? []).sort();
}

const featureOf = (file: string): string =>
  /^(?:src|test)\/([^/]+)\//.exec(file)?.[1] ?? file.slice(0, file.indexOf('/'));
