import { coveredChangesContract } from '../contract/covered-changes.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(coveredChangesContract);
