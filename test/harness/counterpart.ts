/** Tests against third-party programs (CalDAV servers, a browser) run if these are installed. */
import { existsSync } from 'node:fs';

/**
 * Returns options for `describe` or `it`, which skip with a reason if the program at `file` is not installed, or must
 * be started by root and the tests do not run as root. With KALENDS_TEST_ALL=1 nothing is skipped, so the test fails.
 */
export function counterpart(
  name: string,
  file: string,
  { root = false }: { readonly root?: boolean } = {},
): { readonly skip: string | false } {
  if (process.env.KALENDS_TEST_ALL === '1') return { skip: false };
  if (!existsSync(file))
    return { skip: `${name} is not installed (${file}); .ci/install-counterparts.sh installs it` };
  return { skip: root && process.getuid?.() !== 0 ? `${name} can be started by root only` : false };
}
