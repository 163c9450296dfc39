import { tokenLeaseStoreContract } from '../contract/token-lease-store.contract.ts';
import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation(tokenLeaseStoreContract);
