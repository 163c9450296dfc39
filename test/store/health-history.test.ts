import { healthHistoryContract } from '../contract/health-history.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(healthHistoryContract);
