/** Loaded into each process of tests: one that does not end would keep the whole run for ever, and say nothing. */

/** Ten times as long as the longest file takes. */
const FILE_MS = 1_200_000;

/** A soak takes as long as it takes. */
if (process.env.KALENDS_TEST_SCALE === undefined) setTimeout(giveUp, FILE_MS).unref();

function giveUp(): void {
  const kept = process.getActiveResourcesInfo().join(', ');
  console.error(`${process.argv[1]} has not ended in ${FILE_MS / 1000} s. It waits for: ${kept}`);
  process.exit(1);
}
