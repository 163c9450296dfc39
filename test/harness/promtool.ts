/** Prometheus' own tool, which .ci/install-counterparts.sh extracts from Debian's package; its server is not needed. */
import { spawnSync } from 'node:child_process';

export const PROMTOOL = '/usr/local/lib/kalends-counterparts/promtool';

/** Returns promtool's errors and warnings, or '' if there are none. */
export function promtoolComplaints(args: readonly string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(PROMTOOL, args, { input, encoding: 'utf8' });
  if (error) throw error;
  return status === 0 && stderr === '' ? '' : `ended with ${status}: ${stdout}${stderr}`;
}
