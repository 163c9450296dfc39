import { auditedChangesContract } from '../contract/audited-changes.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(auditedChangesContract);
