/** The table of all operations of the administration API, in the order of its reference. */
import {
  createApplicationOperation,
  deleteApplicationOperation,
  listApplicationEndpoints,
  listApplications,
  rotateApplicationSecret,
  showApplication,
  updateApplication,
} from './application-operations.ts';
import { createKey, listKeys, revokeKey, rotateKey } from './key-operations.ts';
import { MEMBER_OPERATIONS } from './member-operations.ts';
import type { AdminOperation } from './operation.ts';
import {
  deleteUserOperation,
  listUsers,
  revokeUserOperation,
  showUser,
  syncUserOperation,
} from './user-operations.ts';

export const ADMIN_PREFIX = '/admin/v1';

export const ADMIN_OPERATIONS: readonly AdminOperation[] = [
  listApplications,
  createApplicationOperation,
  showApplication,
  updateApplication,
  deleteApplicationOperation,
  rotateApplicationSecret,
  listApplicationEndpoints,
  listUsers,
  showUser,
  deleteUserOperation,
  revokeUserOperation,
  syncUserOperation,
  ...MEMBER_OPERATIONS,
  listKeys,
  createKey,
  rotateKey,
  revokeKey,
];
