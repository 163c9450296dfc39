import { usedJtiStoreContract } from '../contract/used-jti-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(usedJtiStoreContract);
