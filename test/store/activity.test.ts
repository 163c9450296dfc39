import { activityStoreContract } from '../contract/activity-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(activityStoreContract);
