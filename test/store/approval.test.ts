import { approvalContract } from '../contract/approval.contract.ts';
import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation(approvalContract);
