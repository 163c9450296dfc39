/** Tests against programs nobody here wrote (CalDAV servers, a browser) run where those are installed. */
import { existsSync } from 'node:fs';

/**
 * Options for `describe` or `it`: skips with a reason when the program at `file` is not installed. With
 * KALENDS_TEST_ALL=1 it is not skipped, and so fails for want of it.
 */
export function counterpart(name: string, file: string): { readonly skip: string | false } {
  if (existsSync(file) || process.env.KALENDS_TEST_ALL === '1') return { skip: false };
  return { skip: `${name} is not installed (${file}); .ci/install-counterparts.sh installs it` };
}
