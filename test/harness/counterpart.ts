/** Tests against programs nobody here wrote (CalDAV servers, a browser) run where those are installed. */
import { existsSync } from 'node:fs';

/**
 * Options for `describe` or `it`: skips with a reason when the program at `file` is not installed, or has
 * to be started as root by someone who is not. With KALENDS_TEST_ALL=1 it is not skipped, and so fails.
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
