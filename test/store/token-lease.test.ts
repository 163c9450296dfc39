import { tokenLeaseStoreContract } from '../contract/token-lease-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(tokenLeaseStoreContract);
