/** The table of all operations of the administration API, in the order of its reference. */
import { ACCOUNT_OPERATIONS } from './account-operations.ts';
import {
  createApplicationOperation,
  deleteApplicationOperation,
  listApplications,
  rotateApplicationSecret,
  showApplication,
  updateApplication,
} from './application-operations.ts';
import { AUDIT_OPERATIONS } from './audit-operations.ts';
import { BRANDING_OPERATIONS } from './branding-operations.ts';
import { listConnectionsOperation } from './connection-operations.ts';
import { DELIVERY_OPERATIONS } from './delivery-operations.ts';
import { ENDPOINT_OPERATIONS } from './endpoint-operations.ts';
import { createKey, listKeys, revokeKey, rotateKey } from './key-operations.ts';
import { MEMBER_OPERATIONS } from './member-operations.ts';
import { OBSERVATION_OPERATIONS } from './observation-operations.ts';
import type { AdminOperation } from './operation.ts';
import { PROVIDER_APP_OPERATIONS } from './provider-app-operations.ts';
import { listRequests, showRequest } from './request-operations.ts';
import { REVIEW_OPERATIONS } from './review-operations.ts';
import { checkApplicationOperation } from './security-operations.ts';
import { SIGNING_KEY_OPERATIONS } from './signing-key-operations.ts';
import { SYSTEM_OPERATIONS } from './system-operations.ts';
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
  checkApplicationOperation,
  ...BRANDING_OPERATIONS,
  ...PROVIDER_APP_OPERATIONS,
  ...REVIEW_OPERATIONS,
  ...ENDPOINT_OPERATIONS,
  ...DELIVERY_OPERATIONS,
  listRequests,
  showRequest,
  listUsers,
  showUser,
  deleteUserOperation,
  revokeUserOperation,
  syncUserOperation,
  ...ACCOUNT_OPERATIONS,
  listConnectionsOperation,
  ...MEMBER_OPERATIONS,
  listKeys,
  createKey,
  rotateKey,
  revokeKey,
  ...SIGNING_KEY_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...OBSERVATION_OPERATIONS,
  ...SYSTEM_OPERATIONS,
];
