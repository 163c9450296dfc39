import { tokenLeaseStoreContract } from './contract/token-lease-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(tokenLeaseStoreContract);
