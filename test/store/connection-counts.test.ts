import { connectionCountsContract } from '../contract/connection-counts.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(connectionCountsContract);
