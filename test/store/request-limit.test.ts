import { requestLimitStoreContract } from '../contract/request-limit-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(requestLimitStoreContract);
