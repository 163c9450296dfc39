/** Limits that no test reaches: those a test is about are set beside them. */
import type { ConnectLimits } from '../../src/connect/flow/connect-attempts.ts';

export const GENEROUS: ConnectLimits = {
  authorizePerMinute: 1e6,
  newUsersPerHour: 1e6,
  passwordsPerTransaction: 1e6,
  passwordsPerAddress: 1e6,
  passwordsPerAccount: 1e6,
};
