/** SenderConstraintStore in SQL; held to test/contract/sender-constraints.contract.ts on both databases. */
import type { SenderConstraint, SenderConstraintStore } from '../../oauth/dpop.ts';
import type { Database } from '../drivers/database.ts';

const LIST = `
  SELECT client_id, sender_constraint, dpop_nonce FROM application
   WHERE sender_constraint = 'required' OR dpop_nonce = 'on'`;

export const senderConstraints = (db: Database): SenderConstraintStore => ({
  listSenderConstraints: () => db.all<SenderConstraint>(LIST),
});
