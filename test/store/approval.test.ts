import { approvalContract } from '../contract/approval.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(approvalContract);
