import { auditLogContract } from '../contract/audit-log.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(auditLogContract);
