import { requestLimitStoreContract } from './contract/request-limit-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(requestLimitStoreContract);
